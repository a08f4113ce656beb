import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { demoPlans } from '../demo-plans.ts'
import type { Rate } from './rate-limit.ts'

const Plans = z.array(
  z.object({
    id: z.string().min(1),
    priceId: z.string().min(1).nullable().default(null),
    entitlements: z.record(z.string(), z.literal(true).or(z.int().min(0))),
  }),
)

/** A plan in `BILLING_PLANS`. An entitlement that is a number limits how many active items the account may have. */
export type Plan = z.output<typeof Plans>[number]

const readPlans = (value: string, context: z.RefinementCtx): unknown => {
  try {
    return JSON.parse(/^\s*\[/.test(value) ? value : readFileSync(value, 'utf8'))
  } catch {
    context.addIssue('neither JSON nor the path of a JSON file')
    return z.NEVER
  }
}

const readCa = (path: string, context: z.RefinementCtx): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    context.addIssue('not the path of a readable file')
    return z.NEVER
  }
}

const rate = (defaultRate: Rate) =>
  z
    .string()
    .transform((text, context): Rate | null => {
      if (text === 'off') return null
      const [, count, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,5})$/.exec(text) ?? []
      if (count === undefined) context.addIssue('neither count/seconds nor off')
      return { count: Number(count), seconds: Number(seconds) }
    })
    .default(defaultRate)

const positiveInteger = (defaultValue: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'not a whole number of 1 or more')
    .transform(Number)
    .default(defaultValue)

const mebibyte = 1024 ** 2

const origin = z.url().transform((url) => url.replace(/\/$/, ''))

const Environment = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'not a postgres address' }),
  DATABASE_CA: z.string().transform(readCa).optional(),
  CORE_PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'not a port')
    .transform(Number)
    .refine((port) => port <= 65_535, 'not a port')
    .default(0),
  PUBLIC_BASE_URL: origin.optional(),
  AUTH_ISSUER: z.string().min(1),
  AUTH_AUDIENCE: z.string().min(1),
  AUTH_JWKS_URL: z.url(),
  BILLING_PLANS: z
    .string()
    .transform(readPlans)
    .pipe(Plans)
    .default([...demoPlans]),
  MEDIA_INTELLIGENCE_URL: z.url().optional(),
  EMAIL_API_BASE: origin.optional(),
  EMAIL_API_KEY: z.string().min(1).optional(),
  EMAIL_FROM: z.string().min(1).optional(),
  BILLING_API_BASE: z.url().optional(),
  BILLING_SECRET_KEY: z.string().min(1).optional(),
  APP_ORIGIN: origin.optional(),
  // The key for visitor pseudonyms, which must equal the gateway's.
  GATEWAY_SECRET: z.string().min(16).optional(),
  RATE_LIMIT_SHARE_EVENTS: rate({ count: 60, seconds: 60 }),
  RATE_LIMIT_PUBLIC_READS: rate({ count: 300, seconds: 60 }),
  RATE_LIMIT_ACCESS_CODES: rate({ count: 10, seconds: 600 }),
  RATE_LIMIT_ACCESS_CODES_LINK: rate({ count: 1000, seconds: 3600 }),
  UPLOAD_MAX_AUDIO_BYTES: positiveInteger(1024 * mebibyte),
  UPLOAD_MAX_ARTWORK_BYTES: positiveInteger(20 * mebibyte),
  UPLOAD_MAX_DOCUMENT_BYTES: positiveInteger(50 * mebibyte),
  UPLOAD_URL_TTL_S: positiveInteger(900),
  PLAYBACK_URL_TTL_S: positiveInteger(3600),
  DOWNLOAD_URL_TTL_S: positiveInteger(900),
  QUOTA_LIBRARIES: positiveInteger(1000),
  QUOTA_LINKS: positiveInteger(1000),
  QUOTA_REVOKED_LINKS: positiveInteger(10_000),
  QUOTA_DOCUMENTS: positiveInteger(1000),
  QUOTA_VERSIONS: positiveInteger(1000),
  QUOTA_PENDING_UPLOAD_BYTES: positiveInteger(50 * 1024 * mebibyte),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('error'),
})

const Storage = z.object({
  STORAGE_ENDPOINT: z.url(),
  STORAGE_REGION: z.string().min(1),
  STORAGE_BUCKET: z.string().min(1),
  STORAGE_ACCESS_KEY_ID: z.string().min(1),
  STORAGE_SECRET_ACCESS_KEY: z.string().min(1),
})
export type StorageSettings = z.output<typeof Storage>

/** The error names each missing or invalid variable, but never its value. */
const readEnvironment = <T extends z.ZodType>(schema: T, env: NodeJS.ProcessEnv): z.output<T> => {
  const result = schema.safeParse(env)
  if (result.success) return result.data
  throw new Error(
    result.error.issues.map(({ path: [name], message }) => `${String(name)}: ${message}`).join('; '),
  )
}

export interface CoreSettings extends z.output<typeof Environment> {
  /** Null if none of its variables is set. Routes that sign URLs for files then return 500. */
  readonly storage: StorageSettings | null
}

export const readCoreSettings = (env: NodeJS.ProcessEnv): CoreSettings => ({
  ...readEnvironment(Environment, env),
  storage: Object.keys(Storage.shape).some((name) => env[name] !== undefined)
    ? readEnvironment(Storage, env)
    : null,
})
