import * as z from 'zod'
import { trustedProxies } from '#proxy/trusted-proxies.ts'
import { usualAddress } from './listening-address.ts'

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)
const wholeNumber = (fallback: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, { error: 'must be a whole number' })
    .transform(Number)
    .default(fallback)
const bytes = (fallback: number) => wholeNumber(fallback).pipe(z.int().min(1))
// A signature of version 4 is good for a week at most.
const lifetimeS = (fallback: number) => wholeNumber(fallback).pipe(z.int().min(1).max(604_800))

const usesPerSeconds = /^([1-9]\d{0,8})\/([1-9]\d{0,6})$/
const rate = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .refine((text) => text === 'off' || usesPerSeconds.test(text), { error: 'must be count/seconds or off' })
    .transform((text) => {
      const [, count, seconds] = usesPerSeconds.exec(text) ?? []
      return count === undefined ? null : { count: Number(count), seconds: Number(seconds) }
    })

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address', abort: true })
const secret = z.string().min(16, { error: 'must have at least 16 characters' })

const planEntitlements = z.record(z.string(), z.union([z.literal(true), z.int().min(0)]))
const Plans = z
  .array(
    z.object({
      id: z.string().min(1),
      name: z.string(),
      priceId: z.string().nullable(),
      entitlements: planEntitlements,
    }),
  )
  .refine((plans) => plans.some(({ id }) => id === 'free'), { error: 'must have a plan with the id free' })

/** A plan as it is configured: a feature that is `true` is on, a number is its limit, an absent one is off. */
export type Plan = z.infer<typeof Plans>[number]

const freePlanOnly: Plan[] = [{ id: 'free', name: 'Free', priceId: null, entitlements: {} }]

const jsonPlans = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' })
      return z.NEVER
    }
  })
  .pipe(Plans)
  .default(freePlanOnly)

const origin = httpUrl
  .refine((url) => new URL(url).href === `${new URL(url).origin}/`, {
    error: 'must be an address without a path',
  })
  .transform((url) => new URL(url).origin)

const coreBaseUrl = z.union([z.literal('none').transform(() => null), origin])

const areNetworks = (blocks: string[]) => {
  try {
    trustedProxies(blocks)
    return true
  } catch {
    return false
  }
}

/** The environment variables of the gateway. What has no default here must be given. */
const Environment = z.object({
  HOST: z.string().default(usualAddress.host),
  PORT: wholeNumber(usualAddress.port).pipe(z.int().max(65_535)),
  PUBLIC_BASE_URL: httpUrl.optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres address' }),
  CORE_BASE_URL: coreBaseUrl,
  CORE_TIMEOUT_MS: wholeNumber(30_000),
  BODY_LIMIT_BYTES: wholeNumber(1_048_576),
  AUTH_ISSUER: z.string().min(1),
  AUTH_AUDIENCE: z.string().min(1),
  AUTH_JWKS_URL: httpUrl,
  APP_ORIGIN: origin.optional(),
  BILLING_PLANS: jsonPlans,
  BILLING_SECRET_KEY: z.string().min(1).optional(),
  BILLING_API_BASE: origin.optional(),
  BILLING_WEBHOOK_SECRET: z.string().min(1).optional(),
  LINKS_API_KEY: z.string().min(1).optional(),
  LINKS_API_BASE: httpUrl.optional(),
  LINKS_WEBHOOK_SECRET: z.string().min(1).optional(),
  EMAIL_WEBHOOK_SECRET: z.string().min(1).optional(),
  STORAGE_ENDPOINT: httpUrl,
  STORAGE_REGION: z.string().min(1),
  STORAGE_BUCKET: z.string().min(1),
  STORAGE_ACCESS_KEY_ID: z.string().min(1),
  STORAGE_SECRET_ACCESS_KEY: z.string().min(1),
  UPLOAD_MAX_AUDIO_BYTES: bytes(1_073_741_824),
  UPLOAD_MAX_ARTWORK_BYTES: bytes(20_971_520),
  UPLOAD_MAX_DOCUMENT_BYTES: bytes(52_428_800),
  UPLOAD_URL_TTL_S: lifetimeS(900),
  PLAYBACK_URL_TTL_S: lifetimeS(3600),
  DOWNLOAD_URL_TTL_S: lifetimeS(900),
  MEDIA_INTELLIGENCE_URL: httpUrl.optional(),
  MEDIA_INTELLIGENCE_SECRET: secret.optional(),
  INTERNAL_TOKEN: secret.optional(),
  GATEWAY_SECRET: secret,
  RATE_LIMIT_PUBLIC_READS: rate('300/60'),
  RATE_LIMIT_SHARE_EVENTS: rate('60/60'),
  RATE_LIMIT_ACCESS_CODES: rate('10/600'),
  RATE_LIMIT_ANALYTICS: rate('60/60'),
  EVENT_RETENTION_DAYS: wholeNumber(400).pipe(z.int().min(1).max(36_500)),
  CORS_ORIGINS: list.pipe(z.array(origin)).default([]),
  TRUSTED_PROXIES: list.refine(areNetworks, { error: 'must list addresses and CIDR blocks' }).default([]),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
})

export type Settings = z.infer<typeof Environment>

/** The part of it that the process of the jobs needs. */
const JobEnvironment = Environment.pick({
  DATABASE_URL: true,
  STORAGE_ENDPOINT: true,
  STORAGE_REGION: true,
  STORAGE_BUCKET: true,
  STORAGE_ACCESS_KEY_ID: true,
  STORAGE_SECRET_ACCESS_KEY: true,
  MEDIA_INTELLIGENCE_URL: true,
  MEDIA_INTELLIGENCE_SECRET: true,
  PUBLIC_BASE_URL: true,
  BILLING_PLANS: true,
  BILLING_SECRET_KEY: true,
  BILLING_API_BASE: true,
  LINKS_API_KEY: true,
  LINKS_API_BASE: true,
  EVENT_RETENTION_DAYS: true,
  LOG_LEVEL: true,
}).refine(
  (settings) => settings.MEDIA_INTELLIGENCE_URL === undefined || settings.PUBLIC_BASE_URL !== undefined,
  {
    error: 'is missing, and the analysis service must know whom to call back',
    path: ['PUBLIC_BASE_URL'],
  },
)

export type JobSettings = z.infer<typeof JobEnvironment>

/** The part that a comparison with the billing provider needs. */
const ReconciliationEnvironment = Environment.pick({
  DATABASE_URL: true,
  BILLING_PLANS: true,
  BILLING_SECRET_KEY: true,
  BILLING_API_BASE: true,
}).required({ BILLING_SECRET_KEY: true })

/** The settings are wrong; the message names each variable and what is the matter with it, never its value. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

type Variables = Readonly<Record<string, string | undefined>>

const read = <S extends z.ZodType>(schema: S, environment: Variables): z.output<S> => {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(({ path, message }) => {
    const name = String(path[0])
    return given[name] === undefined ? `  ${name} is missing` : `  ${name} ${message}`
  })
  throw new SettingsError(`These settings stop the start:\n${[...new Set(faults)].join('\n')}`)
}

/** Reads every setting once. Throws `SettingsError` with all that is missing or wrong. */
export const readSettings = (environment: Variables): Settings => read(Environment, environment)

/** The same for the process of the jobs. */
export const readJobSettings = (environment: Variables): JobSettings => read(JobEnvironment, environment)

/** The same for a comparison with the billing provider. */
export const readReconciliationSettings = (environment: Variables) =>
  read(ReconciliationEnvironment, environment)
