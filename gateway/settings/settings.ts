import * as z from 'zod'
import { billingSettings, hasRequiredPlans, missingPlans } from './billing.ts'
import { databaseSettings, hasRequiredCa, missingCa } from './database.ts'
import { describeEffectiveValue, isSecret } from './describe-value.ts'
import {
  emailSettings,
  hasRequiredEmailKey,
  hasRequiredSender,
  missingEmailKey,
  missingSender,
} from './email.ts'
import { linkSettings } from './links.ts'
import { hasOwnAdminPort, listenerSettings, sharedPort } from './listeners.ts'
import { mediaSettings } from './media.ts'
import {
  hasRequiredModel,
  hasRequiredModelUrl,
  missingModel,
  missingModelUrl,
  modelSettings,
} from './model.ts'
import { hasRequiredNotifySecret, missingNotifySecret, notifySettings } from './notify.ts'
import { operators } from './operators.ts'
import { quotaSettings } from './quotas.ts'
import { rateLimitSettings } from './rate-limits.ts'
import { readEnvironment, type Variables } from './read-environment.ts'
import {
  areValid,
  baseUrl,
  bytes,
  certificates,
  coreBaseUrl,
  deliverySecrets,
  drainTime,
  httpUrl,
  integerBetween,
  logAccounts,
  logLevel,
  milliseconds,
  networks,
  oneOrZero,
  origin,
  origins,
  privateKey,
  probePath,
  routeScopes,
  routeStates,
  secret,
  wholeNumber,
} from './setting-types.ts'
import {
  hasRequiredClientId,
  hasRequiredRoles,
  missingClientId,
  missingRoles,
  singleSignOnSettings,
} from './single-sign-on.ts'
import { sampledShare, tracingSettings, withUsedTraces, withUsedTracing } from './tracing.ts'

/** The gateway's environment variables. Those without a default are required. */
export const Environment = z.object({
  ...listenerSettings,
  PUBLIC_BASE_URL: baseUrl.optional(),
  ...databaseSettings,
  CORE_BASE_URL: coreBaseUrl,
  CORE_CA: certificates.optional(),
  CORE_CLIENT_CERT: certificates.optional(),
  CORE_CLIENT_KEY: privateKey.optional(),
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
  ...billingSettings,
  ...linkSettings,
  ...emailSettings,
  ...mediaSettings,
  ...deliverySecrets,
  INTERNAL_TOKEN: secret.optional(),
  OPERATORS: operators.default([]),
  ...singleSignOnSettings,
  GATEWAY_SECRET: secret,
  ...rateLimitSettings,
  ...quotaSettings,
  ...modelSettings,
  ...notifySettings,
  EVENT_RETENTION_DAYS: wholeNumber(400).pipe(integerBetween(1, 36_500)),
  GATEWAY_KILL: routeScopes.default([]),
  GATEWAY_ROUTES: routeStates.default([]),
  CORS_ORIGINS: origins.default([]),
  TRUSTED_PROXIES: networks.default([]),
  LOG_LEVEL: logLevel.default('info'),
  LOG_ACCOUNTS: logAccounts.default('hashed'),
  LOG_REQUESTS_SHARE: sampledShare.default(1),
  ...tracingSettings,
})

export const settingTypes = Environment.shape

export type Settings = z.infer<typeof Environment>

// These already name a file, so they need no `NAME_FILE`.
const pathSettings: readonly string[] = [
  'DATABASE_CA',
  'REDIS_CA',
  'CORE_CA',
  'CORE_CLIENT_CERT',
  'CORE_CLIENT_KEY',
]

/** Settings that contain a secret. `NAME_FILE` can supply each of them. */
export const secretSettings: readonly string[] = Object.entries(settingTypes)
  .filter(([name, type]) => isSecret(type) && !pathSettings.includes(name))
  .map(([name]) => name)

export interface ProductionSettings extends Settings {
  readonly PUBLIC_BASE_URL: string
}

// One client may use half of the memory, so a longer body would never be accepted.
const hasMemoryForBodies = ({
  BODY_LIMIT_BYTES,
  BODY_MEMORY_BYTES,
}: Pick<Settings, 'BODY_LIMIT_BYTES' | 'BODY_MEMORY_BYTES'>) => BODY_MEMORY_BYTES >= 2 * BODY_LIMIT_BYTES

const hasPair = ({
  CORE_CLIENT_CERT,
  CORE_CLIENT_KEY,
}: Pick<Settings, 'CORE_CLIENT_CERT' | 'CORE_CLIENT_KEY'>) =>
  (CORE_CLIENT_CERT === undefined) === (CORE_CLIENT_KEY === undefined)

const SandboxEnvironment = Environment.refine(hasRequiredPlans, missingPlans)
  .refine(hasRequiredEmailKey, missingEmailKey)
  .refine(hasRequiredSender, missingSender)
  .refine(hasRequiredModel, missingModel)
  .refine(hasRequiredModelUrl, missingModelUrl)
  .refine(hasRequiredCa, missingCa)
  .refine(hasRequiredClientId, missingClientId)
  .refine(hasRequiredRoles, missingRoles)
  .refine(hasMemoryForBodies, {
    error: 'must be at least twice BODY_LIMIT_BYTES',
    path: ['BODY_MEMORY_BYTES'],
    when: areValid('BODY_LIMIT_BYTES', 'BODY_MEMORY_BYTES'),
  })
  .refine(hasOwnAdminPort, sharedPort)
  .refine(hasPair, {
    error: 'must be set together with CORE_CLIENT_KEY',
    path: ['CORE_CLIENT_CERT'],
    when: areValid('CORE_CLIENT_CERT', 'CORE_CLIENT_KEY'),
  })

/** Addresses given to clients must not depend on a request's Host header or the listening address. */
const GatewayEnvironment = SandboxEnvironment.required({ PUBLIC_BASE_URL: true })

/**
 * Limit on memory for bodies on Workers: an isolate has 128 MB, and a parsed body takes several times its length.
 */
export const maxWorkerBodyMemoryBytes = 33_554_432
const maxWorkerBodyBytes = maxWorkerBodyMemoryBytes / 2

const WorkerEnvironment = GatewayEnvironment.refine(
  // If it were ignored, instances on Workers and on Node would count separately.
  ({ REDIS_URL }) => REDIS_URL === undefined,
  {
    error: 'must be unset: Workers count rate limits in PostgreSQL, and so must all other instances',
    path: ['REDIS_URL'],
    when: areValid('REDIS_URL'),
  },
)
  .refine(
    // The bundle has no model client.
    ({ AI_BASE_URL }) => AI_BASE_URL == null,
    {
      error: 'must be unset or none: Workers analyse catalogues without a model',
      path: ['AI_BASE_URL'],
      when: areValid('AI_BASE_URL'),
    },
  )
  .refine(({ CORE_BASE_URL }) => CORE_BASE_URL === null || CORE_BASE_URL.length === 1, {
    error: 'must be a single URL: Workers send to one endpoint',
    path: ['CORE_BASE_URL'],
    when: areValid('CORE_BASE_URL'),
  })
  .refine(
    ({ CORE_CA, CORE_CLIENT_CERT, CORE_CLIENT_KEY }) => !(CORE_CA || CORE_CLIENT_CERT || CORE_CLIENT_KEY),
    {
      error: 'must be unset, as must CORE_CLIENT_CERT and CORE_CLIENT_KEY: Workers verify with their own CAs',
      path: ['CORE_CA'],
      when: areValid('CORE_CA', 'CORE_CLIENT_CERT', 'CORE_CLIENT_KEY'),
    },
  )
  .refine(({ BODY_LIMIT_BYTES }) => BODY_LIMIT_BYTES <= maxWorkerBodyBytes, {
    error: `must be at most ${maxWorkerBodyBytes} on Workers`,
    path: ['BODY_LIMIT_BYTES'],
    when: areValid('BODY_LIMIT_BYTES'),
  })

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
  NOTIFY_URL: true,
  NOTIFY_SECRET: true,
  NOTIFY_FORMAT: true,
  EVENT_RETENTION_DAYS: true,
  AI_THREAD_RETENTION_DAYS: true,
  DRAIN_MS: true,
  LOG_LEVEL: true,
})
  .extend(tracingSettings)
  .refine(hasRequiredNotifySecret, missingNotifySecret)
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

const RedriveEnvironment = Environment.pick({
  DATABASE_URL: true,
  DATABASE_CA: true,
  DATABASE_PREPARE: true,
}).refine(hasRequiredCa, missingCa)

const MigrationEnvironment = Environment.pick({
  DATABASE_URL: true,
  DATABASE_DIRECT_URL: true,
  DATABASE_CA: true,
}).refine(hasRequiredCa, missingCa)

export type MigrationSettings = z.infer<typeof MigrationEnvironment>

/** Reads the gateway's settings. Throws `SettingsError` with all missing and invalid variables. */
export const readSettings = (environment: Variables): ProductionSettings =>
  readEnvironment(GatewayEnvironment, withUsedTracing(environment))

/** Reads the gateway's settings in the sandbox, where `PUBLIC_BASE_URL` is optional. Throws `SettingsError`. */
export const readSandboxSettings = (environment: Variables): Settings =>
  readEnvironment(SandboxEnvironment, withUsedTracing(environment))

/** Reads the gateway's settings on Workers. Throws `SettingsError`. */
export const readWorkerSettings = (environment: Variables): ProductionSettings =>
  readEnvironment(WorkerEnvironment, withUsedTraces(environment))

/** Reads the settings of the jobs process. `canRunFfmpeg` tells whether a path runs ffmpeg. Throws `SettingsError`. */
export const readJobSettings = (
  environment: Variables,
  canRunFfmpeg: (path: string) => boolean,
): JobSettings =>
  readEnvironment(
    JobEnvironment.refine(({ FFMPEG_PATH: path }) => path === undefined || canRunFfmpeg(path), {
      error: 'must be the path of ffmpeg, and prlimit (util-linux) must be installed',
      path: ['FFMPEG_PATH'],
      // Reported even if other variables are invalid.
      when: () => true,
    }),
    withUsedTracing(environment),
  )

export const readReconciliationSettings = (environment: Variables) =>
  readEnvironment(ReconciliationEnvironment, environment)

export const readRedriveSettings = (environment: Variables) =>
  readEnvironment(RedriveEnvironment, environment)

export const readMigrationSettings = (environment: Variables) =>
  readEnvironment(MigrationEnvironment, environment)

const isKnown = (name: string): name is keyof typeof settingTypes => name in settingTypes

/** Describes the effective settings for the start-up log. Secrets are `set`; of a URL only the origin is shown. */
export const describeSettings = (settings: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      isKnown(name) && value !== undefined ? [[name, describeEffectiveValue(settingTypes[name], value)]] : [],
    ),
  )

/**
 * What to do about each setting that only the previous release had. Such a setting has no effect, and does not prevent
 * the start.
 */
const removedSettings = {
  AI_MAX_MESSAGES: 'remove it; the model reads the last 20 messages of a thread',
  PROCESSES:
    'remove it; to use several CPU cores, run several gateways behind the load balancer, each with its own PORT and ADMIN_PORT: see "Several gateways" in docs/deployment.md',
  RATE_LIMIT_IDEMPOTENCY_KEYS:
    'remove it; an account may have 3,600 responses an hour stored for its idempotency keys',
}

export const listRemovedSettings = (environment: Variables) =>
  Object.entries(removedSettings)
    .filter(([setting]) => environment[setting])
    .map(([setting, advice]) => ({ setting, advice }))
