import { Webhook } from 'standardwebhooks'
import * as z from 'zod'
import { isLabel } from '#contracts/shared/row.ts'
import { trustedProxies } from '#proxy/headers/trusted-proxies.ts'
import { listeningUrl } from './listening-address.ts'

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)

export const wholeNumber = (fallback: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, { error: 'must be a whole number' })
    .transform(Number)
    .default(fallback)

export const bytes = (fallback: number) => wholeNumber(fallback).pipe(z.int().min(1))

/** What a timer takes: a longer one would be over at once. */
export const milliseconds = (fallback: number) =>
  wholeNumber(fallback).pipe(z.int().min(1).max(2_147_483_647))

/** Seconds; a signature of version 4 is good for a week at most. */
export const ttlS = (fallback: number) => wholeNumber(fallback).pipe(z.int().min(1).max(604_800))

const usesPerSeconds = /^([1-9]\d{0,8})\/([1-9]\d{0,6})$/

/** `count/seconds`, or null for `off`. */
export const rate = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .refine((text) => text === 'off' || usesPerSeconds.test(text), { error: 'must be count/seconds or off' })
    .transform((text) => {
      const [, count, seconds] = usesPerSeconds.exec(text) ?? []
      return count === undefined ? null : { count: Number(count), seconds: Number(seconds) }
    })

export const host = z
  .string()
  // The zone of an IPv6 address is no part of a URL.
  .refine((text) => URL.parse(listeningUrl(text.replace(/%\w+$/, ''), 1))?.port === '1', {
    error: 'must be an address or a host name',
  })

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address', abort: true })

const succeeds = (work: () => unknown) => {
  try {
    work()
    return true
  } catch {
    return false
  }
}

const databaseAddress = 'must be a postgres address, with user and password URL-encoded'

export const databaseUrl = z
  .url({ protocol: /^postgres(ql)?$/, error: databaseAddress, abort: true })
  .refine((url) => succeeds(() => decodeURIComponent(url)), { error: databaseAddress })

export const secret = z.string().min(16, { error: 'must have at least 16 characters' })

/** A secret of Standard Webhooks. */
export const webhookSecret = z
  .string()
  .refine((text) => succeeds(() => new Webhook(text)), { error: 'must be whsec_ and base64' })

/** Comma-separated labels; a misspelt one would leave a route on that somebody wants off. */
export const routeLabels = list.pipe(
  z.array(z.string().refine(isLabel, { error: 'must list labels of the route table', abort: true })),
)

export const origin = httpUrl
  .refine((url) => new URL(url).href === `${new URL(url).origin}/`, {
    error: 'must be an address without a path',
  })
  .transform((url) => new URL(url).origin)

/** The core's origin, or null for `none`. */
export const coreBaseUrl = z.union([z.literal('none').transform(() => null), origin], {
  error: 'must be an http or https address without a path, or none',
})

/** Comma-separated origins. */
export const origins = list.pipe(z.array(origin))

/** Comma-separated addresses and CIDR blocks. */
export const networks = list.refine((blocks) => succeeds(() => trustedProxies(blocks)), {
  error: 'must list addresses and CIDR blocks',
})
