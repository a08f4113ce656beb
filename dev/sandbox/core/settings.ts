import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { demoPlans } from '../demo-plans.ts'
import { readLimits, readStorage } from './media-settings.ts'
import { readQuotas } from './quotas.ts'
import { defaultRates, type Rate } from './rate-limit.ts'
import { readEnvironment } from './read-environment.ts'
import type { CoreSettings } from './start-core.ts'

const Plans = z.array(
  z.object({
    id: z.string().min(1),
    priceId: z.string().min(1).nullable().default(null),
    entitlements: z.record(z.string(), z.literal(true).or(z.int().min(0))),
  }),
)

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
  GATEWAY_SECRET: z.string().min(16).optional(),
  RATE_LIMIT_SHARE_EVENTS: rate(defaultRates.shareEvents),
  RATE_LIMIT_PUBLIC_READS: rate(defaultRates.publicReads),
  RATE_LIMIT_ACCESS_CODES: rate(defaultRates.accessCodes),
  RATE_LIMIT_ACCESS_CODES_LINK: rate(defaultRates.accessCodesOfLink),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('error'),
})

const selectBilling = ({
  BILLING_API_BASE: apiBase,
  BILLING_SECRET_KEY: secretKey,
}: z.output<typeof Environment>) =>
  apiBase === undefined || secretKey === undefined ? null : { apiBase, secretKey }

const selectEmail = ({
  EMAIL_API_BASE: apiBase,
  EMAIL_API_KEY: apiKey,
  EMAIL_FROM: from,
}: z.output<typeof Environment>) => (apiBase === undefined ? null : { apiBase, apiKey, from })

export const readCoreSettings = (env: NodeJS.ProcessEnv): CoreSettings => {
  const core = readEnvironment(Environment, env)
  return {
    databaseUrl: core.DATABASE_URL,
    databaseCa: core.DATABASE_CA ?? null,
    port: core.CORE_PORT,
    publicBaseUrl: core.PUBLIC_BASE_URL ?? null,
    issuer: core.AUTH_ISSUER,
    audience: core.AUTH_AUDIENCE,
    jwksUrl: core.AUTH_JWKS_URL,
    plans: core.BILLING_PLANS,
    email: selectEmail(core),
    billing: selectBilling(core),
    appOrigin: core.APP_ORIGIN ?? null,
    visitorSecret: core.GATEWAY_SECRET,
    offersAnalysis: core.MEDIA_INTELLIGENCE_URL !== undefined,
    rates: {
      shareEvents: core.RATE_LIMIT_SHARE_EVENTS,
      publicReads: core.RATE_LIMIT_PUBLIC_READS,
      accessCodes: core.RATE_LIMIT_ACCESS_CODES,
      accessCodesOfLink: core.RATE_LIMIT_ACCESS_CODES_LINK,
    },
    storage: readStorage(env),
    limits: readLimits(env),
    quotas: readQuotas(env),
    logLevel: core.LOG_LEVEL,
  }
}
