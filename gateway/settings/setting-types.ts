import * as z from 'zod'
import { type DeliverySecret, deliveries } from '#contracts/deliveries.ts'
import { isRouteScope } from '#migration/model/route-scope.ts'
import { parseStaticState } from '#migration/model/static-states.ts'
import { parseTrustedProxies } from '#proxy/headers/client-origin.ts'
import { asSecret, asUrl } from './describe-value.ts'
import { splitList } from './read-environment.ts'

const list = z.string().transform(splitList)

export const wholeNumber = (fallback: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, { error: 'must be a whole number' })
    .transform(Number)
    .default(fallback)

export const integerBetween = (min: number, max: number) => {
  const error = `must be between ${min} and ${max}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

export const onOrOff = (fallback: 'on' | 'off') =>
  z
    .enum(['on', 'off'], { error: 'must be on or off' })
    .default(fallback)
    .transform((text) => text === 'on')

export const oneOrZero = z.enum(['0', '1'], { error: 'must be 0 or 1' }).default('0')

export const bytes = (fallback: number) =>
  wholeNumber(fallback).pipe(z.int().min(1, { error: 'must be at least 1' }))

/** Limited to the range of timers, because a timer with a longer time would fire immediately. */
export const milliseconds = (fallback: number) => wholeNumber(fallback).pipe(integerBetween(1, 2_147_483_647))

export const drainTime = (fallback: number) => wholeNumber(fallback).pipe(integerBetween(0, 3_600_000))

export const probePath = z
  .string()
  .regex(/^\/[!"$-~]*$/, { error: 'must be a path that begins with / and has no fragment' })
  .default('/')

const hasNoCredentials = (text: string) => {
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

// `fetch` rejects a URL with credentials, and its error repeats them.
const createUrlType = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL', abort: true })
    .refine(hasNoCredentials, { error: 'must be a URL without a user and password', abort: true })

export const httpUrl = asUrl(createUrlType())

export const secretUrl = asSecret(createUrlType())

/** A base URL: ASCII, without a trailing slash. */
export const baseUrl = asUrl(
  httpUrl
    .refine((text) => !/[?#]/.test(text), { error: 'must be a URL without a query or fragment' })
    .transform((text) => new URL(text).href.replace(/\/+$/, '')),
)

export const succeeds = (work: () => unknown) => {
  try {
    work()
    return true
  } catch {
    return false
  }
}

export const secret = asSecret(z.string().min(16, { error: 'must have at least 16 characters' }))

export const apiKey = asSecret(z.string().min(1))

const minSecretBytes = 16

const webhookSecretFormat = /^(?:whsec_)?(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3}={0,2})?$/

// Three bytes are four base64 characters, not counting padding.
const countBase64Bytes = (text: string) => Math.floor((text.replace(/^whsec_|=+$/g, '').length * 3) / 4)

export const webhookSecret = asSecret(
  z.string().refine((text) => webhookSecretFormat.test(text) && countBase64Bytes(text) >= minSecretBytes, {
    error: `must be whsec_ followed by base64 of at least ${minSecretBytes} bytes`,
  }),
)

/** One secret, or several on separate lines, because during a rotation a sender may sign with any of them. */
export const secretLines = (type: z.ZodType<string, string>) =>
  asSecret(
    z
      .string()
      .transform((text) => text.split(/\r?\n/).filter(Boolean))
      .transform((lines, context): readonly [string, ...string[]] => {
        const [first = '', ...others] = lines
        for (const { issues } of [first, ...others].flatMap((line) => type.safeParse(line).error ?? []))
          for (const { message } of issues) context.addIssue(message)
        return [first, ...others]
      }),
  )

type OptionalSecret = ReturnType<ReturnType<typeof secretLines>['optional']>

// The type of `fromEntries` does not relate keys to values.
const asSettings = (settings: object) => settings as { readonly [N in DeliverySecret]: OptionalSecret }

/** Deliveries from a sender without secrets are rejected. */
export const deliverySecrets = asSettings(
  Object.fromEntries(
    Object.values(deliveries).map((delivery) => [
      delivery.secret,
      secretLines(delivery.scheme === 'standard-webhooks' ? webhookSecret : secret).optional(),
    ]),
  ),
)

/** A misspelled label is an error. If it were ignored, the intended route would stay on. */
export const routeScopes = list.pipe(
  z.array(
    z.string().refine(isRouteScope, {
      error: 'must be a comma-separated list of route labels, area.* or *',
      abort: true,
    }),
  ),
)

export const routeStates = list.pipe(
  z.array(
    z.string().transform((text, context) => {
      const parsed = parseStaticState(text)
      if (typeof parsed !== 'string') return parsed
      context.addIssue(`must be a comma-separated list of scope=state: ${parsed}`)
      return z.NEVER
    }),
  ),
)

export const origin = asUrl(
  httpUrl
    .refine((url) => new URL(url).href === `${new URL(url).origin}/`, {
      error: 'must be a URL without a path',
    })
    .transform((url) => new URL(url).origin),
)

export const coreBaseUrl = asUrl(
  z.union([z.literal('none').transform(() => null), list.pipe(z.array(origin).min(1))], {
    error: 'must be none, or one or more http or https URLs without a path, separated by commas',
  }),
)

/** If the value was a readable path, the file's contents have already replaced it. */
const pem = (kind: string, error: string) => asSecret(z.string().startsWith(`-----BEGIN ${kind}`, { error }))

export const certificates = pem('CERTIFICATE-----', 'must be the path to a file of PEM certificates')

export const privateKey = pem(
  '',
  'must be the path to a file with the PEM key for CORE_CLIENT_CERT, without a passphrase',
)

export const origins = asUrl(list.pipe(z.array(origin)))

export const networks = list.pipe(
  z.array(
    z.string().refine((block) => succeeds(() => parseTrustedProxies([block])), {
      error: 'must be a comma-separated list of IP addresses and CIDR blocks',
    }),
  ),
)

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const

export const logLevel = z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` })

export const logAccounts = z.enum(['hashed', 'plain', 'off'], { error: 'must be hashed, plain or off' })

export interface Rule<S> {
  readonly holds: (settings: S) => boolean
  readonly name: string
  readonly error: string
  /** If one of these variables is invalid, the rule is not checked. */
  readonly dependsOn: readonly string[]
}

/** Rules are checked even if other variables are invalid. Their errors are reported in the order of the rules. */
export const applyRules = <T extends z.ZodObject>(schema: T, rules: readonly Rule<z.output<T>>[]): T =>
  rules.reduce<T>(
    (checked, { holds, name, error, dependsOn }) =>
      checked.refine(holds, {
        error,
        path: [name],
        when: ({ issues }) => !issues.some(({ path }) => dependsOn.includes(String(path?.[0]))),
      }),
    schema,
  )
