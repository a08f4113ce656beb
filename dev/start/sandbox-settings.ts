import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readCaFile, readPlansFile } from '#gateway/settings/read-files.ts'
import { readSandboxSettings } from '#gateway/settings/settings.ts'
import { operatorTokenSetting } from '#migration/cli/connection.ts'
import { formatOperator } from '#migration/cli/operator-verb.ts'
import { demoPlans } from '../sandbox/demo-plans.ts'
import { sandboxStorage } from '../sandbox/object-storage/sandbox-storage.ts'
import { readOrCreate } from '../sandbox/stored-file.ts'

export interface SandboxOptions {
  /** Holds everything that outlives a restart: database, secrets, objects. */
  readonly stateDir: string
  /** The variables that the user has set. The sandbox sets the rest. */
  readonly given: Readonly<Record<string, string | undefined>>
}

type SandboxEnvironment = Readonly<Record<string, string>>

interface SandboxProvider {
  readonly provider: string
  /** The provider is not started if the user has set one of these variables. */
  readonly unless: readonly string[]
  readonly address: string
  readonly secrets: readonly string[]
  readonly constants?: SandboxEnvironment
}

const sandboxProviders: readonly SandboxProvider[] = [
  {
    provider: 'store',
    unless: ['STORAGE_ENDPOINT'],
    address: 'STORAGE_ENDPOINT',
    secrets: ['STORAGE_SECRET_ACCESS_KEY'],
    constants: {
      STORAGE_ACCESS_KEY_ID: 'sandbox',
      STORAGE_REGION: sandboxStorage.region,
      STORAGE_BUCKET: sandboxStorage.bucket,
    },
  },
  {
    provider: 'analyser',
    unless: ['MEDIA_INTELLIGENCE_URL'],
    address: 'MEDIA_INTELLIGENCE_URL',
    secrets: ['MEDIA_INTELLIGENCE_SECRET'],
  },
  {
    provider: 'billing',
    unless: ['BILLING_SECRET_KEY'],
    address: 'BILLING_API_BASE',
    secrets: ['BILLING_SECRET_KEY', 'BILLING_WEBHOOK_SECRET'],
    constants: { BILLING_PLANS: JSON.stringify(demoPlans) },
  },
  {
    provider: 'email',
    // A core other than the sandbox's sends its invitations itself.
    unless: ['CORE_BASE_URL', 'EMAIL_API_KEY'],
    address: 'EMAIL_API_BASE',
    secrets: ['EMAIL_WEBHOOK_SECRET', 'EMAIL_API_KEY'],
    constants: { EMAIL_FROM: 'Crossfade <invitations@crossfade.example>' },
  },
  {
    provider: 'model',
    unless: ['AI_BASE_URL'],
    address: 'AI_BASE_URL',
    secrets: ['AI_API_KEY'],
    constants: { AI_MODEL: 'sandbox' },
  },
  { provider: 'app', unless: ['APP_ORIGIN'], address: 'APP_ORIGIN', secrets: [] },
]

const isNeeded =
  (given: SandboxOptions['given']) =>
  ({ unless }: SandboxProvider) =>
    unless.every((name) => !given[name])

/** Selects the providers to start. Returns each provider's name, keyed by the variable for its address. */
export const selectProviders = (given: SandboxOptions['given']): SandboxEnvironment =>
  Object.fromEntries(
    sandboxProviders.filter(isNeeded(given)).map(({ provider, address }) => [address, provider]),
  )

export const readOrCreateSecret = (directory: string, setting: string) =>
  readOrCreate(join(directory, setting.toLowerCase().replaceAll('_', '-')), () =>
    randomBytes(32).toString('base64'),
  )

// `npm run routes` reads the token from its file.
const createLocalOperator = async (stateDir: string) =>
  formatOperator('local', 'write', await readOrCreateSecret(stateDir, operatorTokenSetting))

/**
 * Returns the variables that all processes of the sandbox share. Leaves out the providers' addresses, which are known
 * only after they have started.
 */
export const resolveSandboxSettings = async ({
  stateDir,
  given,
}: SandboxOptions): Promise<SandboxEnvironment> => {
  const needed = sandboxProviders.filter(isNeeded(given))
  const names = ['GATEWAY_SECRET', 'INTERNAL_TOKEN', ...needed.flatMap(({ secrets }) => secrets)]
  const secrets = await Promise.all(
    names.map(async (name) => [name, given[name] || (await readOrCreateSecret(stateDir, name))] as const),
  )
  const { BILLING_PLANS } = given
  const plans = BILLING_PLANS ? await readPlansFile({ BILLING_PLANS }) : {}
  return {
    // Most of the start is spent compiling, so compiled modules are cached.
    NODE_COMPILE_CACHE: join(stateDir, 'compile-cache'),
    BILLING_STATE_FILE: join(stateDir, 'billing.json'),
    STORAGE_DIRECTORY: join(stateDir, 'objects'),
    // It is unknown whether a core other than the sandbox's honours shadow requests.
    CORE_HONOURS_SHADOW: given.CORE_HONOURS_SHADOW || (given.CORE_BASE_URL ? '0' : '1'),
    // The default ports assume one installation per machine. 0 means any free port.
    ADMIN_PORT: given.ADMIN_PORT || '0',
    JOBS_ADMIN_PORT: given.JOBS_ADMIN_PORT || '0',
    // The gateway can stop quickly, because no load balancer is in front of it.
    DRAIN_MS: given.DRAIN_MS || '1000',
    ...Object.assign({}, ...needed.map(({ constants }) => constants)),
    ...plans,
    OPERATORS: given.OPERATORS || (await createLocalOperator(stateDir)),
    ...Object.fromEntries(secrets),
  }
}

// The real addresses are known only after the providers have started. Validation accepts any address.
const placeholderAddresses = (given: SandboxOptions['given']): SandboxEnvironment => ({
  ...(given.DATABASE_URL ? {} : { DATABASE_URL: 'postgres://127.0.0.1' }),
  ...(given.CORE_BASE_URL ? {} : { CORE_BASE_URL: 'none' }),
  ...(given.AUTH_JWKS_URL
    ? {}
    : { AUTH_ISSUER: 'sandbox', AUTH_AUDIENCE: 'sandbox', AUTH_JWKS_URL: 'http://127.0.0.1' }),
  ...Object.fromEntries(Object.keys(selectProviders(given)).map((name) => [name, 'http://127.0.0.1'])),
})

/** Throws `SettingsError` with every variable that the gateway would reject, before any process starts. */
export const requireValidSettings = async (given: SandboxOptions['given'], settings: SandboxEnvironment) => {
  readSandboxSettings(await readCaFile({ ...given, ...settings, ...placeholderAddresses(given) }))
}
