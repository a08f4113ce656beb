import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { demoPlans } from '../demo-plans.ts'
import type { CoreSettings } from './start-core.ts'

const Plans = z.array(
  z.object({
    id: z.string().min(1),
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

const Environment = z.object({
  DATABASE_URL: z.string().min(1),
  CORE_PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'not a port')
    .transform(Number)
    .refine((port) => port <= 65_535, 'not a port')
    .default(0),
  AUTH_ISSUER: z.string().min(1),
  AUTH_AUDIENCE: z.string().min(1),
  AUTH_JWKS_URL: z.url(),
  BILLING_PLANS: z
    .string()
    .transform(readPlans)
    .pipe(Plans)
    .default([...demoPlans]),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('error'),
})

/** Reads the core's settings; the error names each variable that is missing or bad, never its value. */
export const readCoreSettings = (env: NodeJS.ProcessEnv): CoreSettings => {
  const read = Environment.safeParse(env)
  if (!read.success)
    throw new Error(
      read.error.issues.map(({ path: [name], message }) => `${String(name)}: ${message}`).join('; '),
    )
  return {
    databaseUrl: read.data.DATABASE_URL,
    port: read.data.CORE_PORT,
    issuer: read.data.AUTH_ISSUER,
    audience: read.data.AUTH_AUDIENCE,
    jwksUrl: read.data.AUTH_JWKS_URL,
    plans: read.data.BILLING_PLANS,
    logLevel: read.data.LOG_LEVEL,
  }
}
