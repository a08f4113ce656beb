import * as z from 'zod'
import { hasRequiredPlans, jsonPlans, missingPlans } from './billing.ts'
import {
  emailSender,
  hasRequiredEmailKey,
  hasRequiredSender,
  missingEmailKey,
  missingSender,
} from './email.ts'
import { adminPort, defaultAddress, host, listenPort } from './listeners.ts'
import {
  hasRequiredModel,
  hasRequiredModelUrl,
  missingModel,
  missingModelUrl,
  modelSettings,
} from './model.ts'
import { operators } from './operators.ts'
import { quotaSettings } from './quotas.ts'
import { rateLimitSettings } from './rate-limits.ts'
import { readEnvironment, type Variables } from './read-environment.ts'
import {
  apiKey,
  areValid,
  baseUrl,
  bytes,
  certificates,
  coreBaseUrl,
  databaseUrl,
  deliverySecrets,
  drainTime,
  hasRequiredCa,
  httpUrl,
  integerBetween,
  logAccounts,
  logLevel,
  milliseconds,
  missingCa,
  networks,
  oneOrZero,
  onOrOff,
  origin,
  origins,
  probePath,
  redisUrl,
  routeScopes,
  routeStates,
  secret,
  ttlS,
  wholeNumber,
} from './setting-types.ts'
import { tracingSettings, withoutTracing, withUsedTracing } from './tracing.ts'

/** The environment variables of the gateway. Variables without a default are required. */
export const Environment = z.object({
  HOST: host.default(defaultAddress.host),
  PORT: listenPort(defaultAddress.listenPort),
  ADMIN_HOST: host.default('127.0.0.1'),
  ADMIN_PORT: adminPort(8788),
  JOBS_ADMIN_PORT: adminPort(8789),
  PUBLIC_BASE_URL: baseUrl.optional(),
  DATABASE_URL: databaseUrl,
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  SHADOW_DATABASE_URL: databaseUrl.optional(),
  DATABASE_CA: certificates.optional(),
  MIGRATE_ON_START: onOrOff('on'),
  DATABASE_POOL_SIZE: wholeNumber(10).pipe(integerBetween(2, 1000)),
  DATABASE_PREPARE: onOrOff('on'),
  CORE_BASE_URL: coreBaseUrl,
  CORE_TIMEOUT_MS: milliseconds(30_000),
  CORE_PROBE_PATH: probePath,
  CORE_HONOURS_SHADOW: oneOrZero,
  BODY_LIMIT_BYTES: bytes(1_048_576),
  BODY_MEMORY_BYTES: bytes(268_435_456),
  BODY_TIMEOUT_MS: milliseconds(60_000),
  DRAIN_MS: drainTime(10_000),
  AUTH_ISSUER: z.string().min(1),
  AUTH_AUDIENCE: z.string().min(1),
  AUTH_JWKS_URL: httpUrl,
  AUTH_CLOCK_TOLERANCE_S: wholeNumber(5).pipe(integerBetween(0, 60)),
  APP_ORIGIN: origin.optional(),
  BILLING_PLANS: jsonPlans.optional(),
  BILLING_SECRET_KEY: apiKey.optional(),
  BILLING_API_BASE: origin.optional(),
  LINKS_API_KEY: apiKey.optional(),
  LINKS_API_BASE: httpUrl.optional(),
  EMAIL_API_KEY: apiKey.optional(),
  EMAIL_API_BASE: httpUrl.optional(),
  EMAIL_FROM: emailSender.optional(),
  STORAGE_ENDPOINT: httpUrl,
  STORAGE_REGION: z.string().min(1),
  STORAGE_BUCKET: z.string().min(1),
  STORAGE_ACCESS_KEY_ID: apiKey,
  STORAGE_SECRET_ACCESS_KEY: apiKey,
  UPLOAD_MAX_AUDIO_BYTES: bytes(1_073_741_824),
  UPLOAD_MAX_ARTWORK_BYTES: bytes(20_971_520),
  UPLOAD_MAX_DOCUMENT_BYTES: bytes(52_428_800),
  UPLOAD_URL_TTL_S: ttlS(900),
  PLAYBACK_URL_TTL_S: ttlS(3600),
  DOWNLOAD_URL_TTL_S: ttlS(900),
  MEDIA_INTELLIGENCE_URL: httpUrl.optional(),
  MEDIA_INTELLIGENCE_ORIGINS: origins.optional(),
  FFMPEG_PATH: z.string().optional(),
  ...deliverySecrets,
  INTERNAL_TOKEN: secret.optional(),
  OPERATORS: operators.default([]),
  GATEWAY_SECRET: secret,
  ...rateLimitSettings,
  REDIS_URL: redisUrl.optional(),
  ...quotaSettings,
  ...modelSettings,
  EVENT_RETENTION_DAYS: wholeNumber(400).pipe(integerBetween(1, 36_500)),
  GATEWAY_KILL: routeScopes.default([]),
  GATEWAY_ROUTES: routeStates.default([]),
  CORS_ORIGINS: origins.default([]),
  TRUSTED_PROXIES: networks.default([]),
  LOG_LEVEL: logLevel.default('info'),
  LOG_ACCOUNTS: logAccounts.default('hashed'),
  ...tracingSettings,
})

/** The type of each setting by its name. */
export const settingTypes = Environment.shape

export type Settings = z.infer<typeof Environment>

/** The settings of a gateway that is not part of the sandbox. */
export interface ProductionSettings extends Settings {
  readonly PUBLIC_BASE_URL: string
}

// One client may have half of the memory: a longer body would never be accepted.
const hasMemoryForBodies = ({
  BODY_LIMIT_BYTES,
  BODY_MEMORY_BYTES,
}: Pick<Settings, 'BODY_LIMIT_BYTES' | 'BODY_MEMORY_BYTES'>) => BODY_MEMORY_BYTES >= 2 * BODY_LIMIT_BYTES

// Some systems let both listeners bind the port if their hosts differ: clients might then reach the admin pages.
const hasOwnAdminPort = ({ PORT, ADMIN_PORT }: Pick<Settings, 'PORT' | 'ADMIN_PORT'>) =>
  PORT === 0 || PORT !== ADMIN_PORT

const SandboxEnvironment = Environment.refine(hasRequiredPlans, missingPlans)
  .refine(hasRequiredEmailKey, missingEmailKey)
  .refine(hasRequiredSender, missingSender)
  .refine(hasRequiredModel, missingModel)
  .refine(hasRequiredModelUrl, missingModelUrl)
  .refine(hasRequiredCa, missingCa)
  .refine(hasMemoryForBodies, {
    error: 'must be at least twice BODY_LIMIT_BYTES',
    path: ['BODY_MEMORY_BYTES'],
    when: areValid('BODY_LIMIT_BYTES', 'BODY_MEMORY_BYTES'),
  })
  .refine(hasOwnAdminPort, {
    error: 'must differ from PORT',
    path: ['ADMIN_PORT'],
    when: areValid('PORT', 'ADMIN_PORT'),
  })

/** Addresses that clients get must not depend on the Host header of a request or on the listening address. */
const GatewayEnvironment = SandboxEnvironment.required({ PUBLIC_BASE_URL: true })

/** The most memory for bodies on Workers: an isolate has 128 MB, and a parsed body uses several times its length. */
export const maxWorkerBodyMemoryBytes = 33_554_432
const maxWorkerBodyBytes = maxWorkerBodyMemoryBytes / 2

const WorkerEnvironment = GatewayEnvironment.refine(
  // Ignored, it would let instances on Workers and on Node count separately.
  ({ REDIS_URL }) => REDIS_URL === undefined,
  {
    error: 'must be unset: Workers count rate limits in PostgreSQL, and so must all other instances',
    path: ['REDIS_URL'],
    when: areValid('REDIS_URL'),
  },
)
  .refine(
    // The bundle has no client for a model.
    ({ AI_BASE_URL }) => AI_BASE_URL == null,
    {
      error: 'must be unset or none: Workers analyse catalogues without a model',
      path: ['AI_BASE_URL'],
      when: areValid('AI_BASE_URL'),
    },
  )
  .refine(({ BODY_LIMIT_BYTES }) => BODY_LIMIT_BYTES <= maxWorkerBodyBytes, {
    error: `must be at most ${maxWorkerBodyBytes} on Workers`,
    path: ['BODY_LIMIT_BYTES'],
    when: areValid('BODY_LIMIT_BYTES'),
  })

/** The environment variables of the jobs process. */
const JobEnvironment = Environment.pick({
  ADMIN_HOST: true,
  JOBS_ADMIN_PORT: true,
  DATABASE_URL: true,
  DATABASE_DIRECT_URL: true,
  DATABASE_CA: true,
  MIGRATE_ON_START: true,
  DATABASE_POOL_SIZE: true,
  DATABASE_PREPARE: true,
  STORAGE_ENDPOINT: true,
  STORAGE_REGION: true,
  STORAGE_BUCKET: true,
  STORAGE_ACCESS_KEY_ID: true,
  STORAGE_SECRET_ACCESS_KEY: true,
  MEDIA_INTELLIGENCE_URL: true,
  MEDIA_INTELLIGENCE_SECRET: true,
  MEDIA_INTELLIGENCE_ORIGINS: true,
  FFMPEG_PATH: true,
  UPLOAD_MAX_AUDIO_BYTES: true,
  APP_ORIGIN: true,
  PUBLIC_BASE_URL: true,
  BILLING_PLANS: true,
  BILLING_SECRET_KEY: true,
  BILLING_API_BASE: true,
  LINKS_API_KEY: true,
  LINKS_API_BASE: true,
  EMAIL_API_KEY: true,
  EMAIL_API_BASE: true,
  EMAIL_FROM: true,
  EVENT_RETENTION_DAYS: true,
  AI_THREAD_RETENTION_DAYS: true,
  DRAIN_MS: true,
  LOG_LEVEL: true,
})
  .extend(tracingSettings)
  .refine(hasRequiredPlans, missingPlans)
  .refine(hasRequiredEmailKey, missingEmailKey)
  .refine(hasRequiredSender, missingSender)
  .refine(hasRequiredCa, missingCa)
  .refine(
    (settings) => settings.MEDIA_INTELLIGENCE_URL === undefined || settings.PUBLIC_BASE_URL !== undefined,
    {
      error: 'is missing: it is required for the callbacks of MEDIA_INTELLIGENCE_URL',
      path: ['PUBLIC_BASE_URL'],
      when: areValid('MEDIA_INTELLIGENCE_URL', 'PUBLIC_BASE_URL'),
    },
  )

export type JobSettings = z.infer<typeof JobEnvironment>

/** The environment variables of the billing reconciliation. */
const ReconciliationEnvironment = Environment.pick({
  DATABASE_URL: true,
  DATABASE_CA: true,
  DATABASE_PREPARE: true,
  BILLING_PLANS: true,
  BILLING_SECRET_KEY: true,
  BILLING_API_BASE: true,
})
  .required({ BILLING_SECRET_KEY: true, BILLING_PLANS: true })
  .refine(hasRequiredCa, missingCa)

/** The environment variables of the command that puts dead-lettered jobs back. */
const RedriveEnvironment = Environment.pick({
  DATABASE_URL: true,
  DATABASE_CA: true,
  DATABASE_PREPARE: true,
}).refine(hasRequiredCa, missingCa)

/** The environment variables of the migration command. */
const MigrationEnvironment = Environment.pick({
  DATABASE_URL: true,
  DATABASE_DIRECT_URL: true,
  DATABASE_CA: true,
}).refine(hasRequiredCa, missingCa)

export type MigrationSettings = z.infer<typeof MigrationEnvironment>

/** Reads the settings of the gateway. Throws `SettingsError` with all missing and invalid variables. */
export const readSettings = (environment: Variables): ProductionSettings =>
  readEnvironment(GatewayEnvironment, withUsedTracing(environment))

/** Reads the settings of the gateway in the sandbox, where `PUBLIC_BASE_URL` is optional. Throws `SettingsError`. */
export const readSandboxSettings = (environment: Variables): Settings =>
  readEnvironment(SandboxEnvironment, withUsedTracing(environment))

/** Reads the settings of the gateway on Workers. Throws `SettingsError`. */
export const readWorkerSettings = (environment: Variables): ProductionSettings =>
  readEnvironment(WorkerEnvironment, withoutTracing(environment))

/**
 * Reads the settings of the jobs process. `canRunFfmpeg` tells whether ffmpeg runs from a path. Throws `SettingsError`.
 */
export const readJobSettings = (
  environment: Variables,
  canRunFfmpeg: (path: string) => boolean,
): JobSettings =>
  readEnvironment(
    JobEnvironment.refine(({ FFMPEG_PATH: path }) => path === undefined || canRunFfmpeg(path), {
      error: 'must be the path of ffmpeg, and prlimit (util-linux) must be installed',
      path: ['FFMPEG_PATH'],
      // Reported in addition to errors of other variables.
      when: () => true,
    }),
    withUsedTracing(environment),
  )

/** Reads the settings of the billing reconciliation. Throws `SettingsError`. */
export const readReconciliationSettings = (environment: Variables) =>
  readEnvironment(ReconciliationEnvironment, environment)

/** Reads the settings of the command that puts dead-lettered jobs back. Throws `SettingsError`. */
export const readRedriveSettings = (environment: Variables) =>
  readEnvironment(RedriveEnvironment, environment)

/** Reads the settings of the migration command. Throws `SettingsError`. */
export const readMigrationSettings = (environment: Variables) =>
  readEnvironment(MigrationEnvironment, environment)
