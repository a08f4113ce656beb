import * as z from 'zod'
import { billingRules, billingSettings } from './billing.ts'
import { databaseRules, databaseSettings } from './database.ts'
import { describeEffectiveValue, isSecret } from './describe-value.ts'
import { emailRules, emailSettings } from './email.ts'
import { linkSettings } from './links.ts'
import { listenerRules, listenerSettings } from './listeners.ts'
import { mediaSettings } from './media.ts'
import { modelRules, modelSettings } from './model.ts'
import { notifyRules, notifySettings } from './notify.ts'
import { operators } from './operators.ts'
import { quotaSettings } from './quotas.ts'
import { rateLimitSettings } from './rate-limits.ts'
import { readEnvironment, type Variables } from './read-environment.ts'
import {
  applyRules,
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
import { singleSignOnRules, singleSignOnSettings } from './single-sign-on.ts'
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

/** Each can also be read from a file: set `NAME_FILE` to its path instead of `NAME`. */
export const secretSettings: readonly string[] = Object.entries(settingTypes)
  .filter(([name, type]) => isSecret(type) && !pathSettings.includes(name))
  .map(([name]) => name)

export interface ProductionSettings extends Settings {
  readonly PUBLIC_BASE_URL: string
}

const SandboxEnvironment = applyRules(Environment, [
  ...billingRules,
  ...emailRules,
  ...modelRules,
  ...databaseRules,
  ...singleSignOnRules,
  {
    // A client may use at most half of the memory, so a body longer than that would never be accepted.
    holds: ({ BODY_LIMIT_BYTES, BODY_MEMORY_BYTES }) => BODY_MEMORY_BYTES >= 2 * BODY_LIMIT_BYTES,
    name: 'BODY_MEMORY_BYTES',
    error: 'must be at least twice BODY_LIMIT_BYTES',
    dependsOn: ['BODY_LIMIT_BYTES', 'BODY_MEMORY_BYTES'],
  },
  ...listenerRules,
  {
    holds: ({ CORE_CLIENT_CERT, CORE_CLIENT_KEY }) =>
      (CORE_CLIENT_CERT === undefined) === (CORE_CLIENT_KEY === undefined),
    name: 'CORE_CLIENT_CERT',
    error: 'must be set together with CORE_CLIENT_KEY',
    dependsOn: ['CORE_CLIENT_CERT', 'CORE_CLIENT_KEY'],
  },
])

/** Addresses given to clients must not depend on a request's Host header or the listening address. */
const GatewayEnvironment = SandboxEnvironment.required({ PUBLIC_BASE_URL: true })

/** An isolate has 128 MB, and a parsed body takes several times its length. */
export const maxWorkerBodyMemoryBytes = 33_554_432
const maxWorkerBodyBytes = maxWorkerBodyMemoryBytes / 2

const WorkerEnvironment = applyRules(GatewayEnvironment, [
  {
    // If it were ignored, instances on Workers and on Node would count separately.
    holds: ({ REDIS_URL }) => REDIS_URL === undefined,
    name: 'REDIS_URL',
    error: 'must be unset: Workers count rate limits in PostgreSQL, so all other instances must too',
    dependsOn: ['REDIS_URL'],
  },
  {
    // The bundle has no model client.
    holds: ({ AI_BASE_URL }) => AI_BASE_URL == null,
    name: 'AI_BASE_URL',
    error: 'must be unset or none: Workers analyse catalogues without a model',
    dependsOn: ['AI_BASE_URL'],
  },
  {
    holds: ({ CORE_BASE_URL }) => CORE_BASE_URL === null || CORE_BASE_URL.length === 1,
    name: 'CORE_BASE_URL',
    error: 'must be a single URL: Workers forward to only one core URL',
    dependsOn: ['CORE_BASE_URL'],
  },
  {
    holds: ({ CORE_CA, CORE_CLIENT_CERT, CORE_CLIENT_KEY }) =>
      !(CORE_CA || CORE_CLIENT_CERT || CORE_CLIENT_KEY),
    name: 'CORE_CA',
    error:
      'must be unset, and so must CORE_CLIENT_CERT and CORE_CLIENT_KEY: Workers support neither your own CAs nor client certificates',
    dependsOn: ['CORE_CA', 'CORE_CLIENT_CERT', 'CORE_CLIENT_KEY'],
  },
  {
    holds: ({ BODY_LIMIT_BYTES }) => BODY_LIMIT_BYTES <= maxWorkerBodyBytes,
    name: 'BODY_LIMIT_BYTES',
    error: `must be at most ${maxWorkerBodyBytes} on Workers`,
    dependsOn: ['BODY_LIMIT_BYTES'],
  },
])

const JobEnvironment = applyRules(
  Environment.pick({
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
  }).extend(tracingSettings),
  [
    ...notifyRules,
    ...billingRules,
    ...emailRules,
    ...databaseRules,
    {
      holds: ({ MEDIA_INTELLIGENCE_URL, PUBLIC_BASE_URL }) =>
        MEDIA_INTELLIGENCE_URL === undefined || PUBLIC_BASE_URL !== undefined,
      name: 'PUBLIC_BASE_URL',
      error: 'is missing: the service at MEDIA_INTELLIGENCE_URL needs it for its callbacks',
      dependsOn: ['MEDIA_INTELLIGENCE_URL', 'PUBLIC_BASE_URL'],
    },
  ],
)

export type JobSettings = z.infer<typeof JobEnvironment>

const ReconciliationEnvironment = applyRules(
  Environment.pick({
    DATABASE_URL: true,
    DATABASE_CA: true,
    DATABASE_PREPARE: true,
    BILLING_PLANS: true,
    BILLING_SECRET_KEY: true,
    BILLING_API_BASE: true,
  }).required({ BILLING_SECRET_KEY: true, BILLING_PLANS: true }),
  databaseRules,
)

const RedriveEnvironment = applyRules(
  Environment.pick({ DATABASE_URL: true, DATABASE_CA: true, DATABASE_PREPARE: true }),
  databaseRules,
)

const MigrationEnvironment = applyRules(
  Environment.pick({ DATABASE_URL: true, DATABASE_DIRECT_URL: true, DATABASE_CA: true }),
  databaseRules,
)

export type MigrationSettings = z.infer<typeof MigrationEnvironment>

/** Throws `SettingsError` with all missing and invalid variables. */
export const readSettings = (environment: Variables): ProductionSettings =>
  readEnvironment(GatewayEnvironment, withUsedTracing(environment))

/** Reads the gateway's settings in the sandbox, where `PUBLIC_BASE_URL` is optional. Throws `SettingsError`. */
export const readSandboxSettings = (environment: Variables): Settings =>
  readEnvironment(SandboxEnvironment, withUsedTracing(environment))

export const readWorkerSettings = (environment: Variables): ProductionSettings =>
  readEnvironment(WorkerEnvironment, withUsedTraces(environment))

export const readJobSettings = (
  environment: Variables,
  canRunFfmpeg: (path: string) => boolean,
): JobSettings =>
  readEnvironment(
    applyRules(JobEnvironment, [
      {
        holds: ({ FFMPEG_PATH: path }) => path === undefined || canRunFfmpeg(path),
        name: 'FFMPEG_PATH',
        error: 'must be the path of ffmpeg, and prlimit (util-linux) must be installed',
        dependsOn: ['FFMPEG_PATH'],
      },
    ]),
    withUsedTracing(environment),
  )

export const readReconciliationSettings = (environment: Variables) =>
  readEnvironment(ReconciliationEnvironment, environment)

export const readRedriveSettings = (environment: Variables) =>
  readEnvironment(RedriveEnvironment, environment)

export const readMigrationSettings = (environment: Variables) =>
  readEnvironment(MigrationEnvironment, environment)

const isKnown = (name: string): name is keyof typeof settingTypes => name in settingTypes

/** Shows secrets only as `set`, and only the origin of a URL. */
export const describeSettings = (settings: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      isKnown(name) && value !== undefined ? [[name, describeEffectiveValue(settingTypes[name], value)]] : [],
    ),
  )

// What to do about each setting that only the previous release had. Such a setting has no effect, and does not prevent
// the start.
const removedSettings = {
  AI_MAX_MESSAGES: 'remove it; the model reads the last 20 messages of a thread',
  PROCESSES:
    'remove it; to use several CPU cores, run several gateways behind the load balancer, each with its own PORT and ADMIN_PORT: see "Several gateways" in docs/deployment.md',
  RATE_LIMIT_IDEMPOTENCY_KEYS:
    'remove it; the limit is now fixed at 3,600 stored responses per account per hour, for requests with idempotency keys',
}

export const listRemovedSettings = (environment: Variables) =>
  Object.entries(removedSettings)
    .filter(([setting]) => environment[setting])
    .map(([setting, advice]) => ({ setting, advice }))
