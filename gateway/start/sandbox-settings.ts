import { join } from 'node:path'
import { demoPlans } from '#sandbox/demo-plans.ts'
import { sandboxStorage } from '#sandbox/object-storage/sandbox-storage.ts'
import { readPlansFile } from '../settings/read-plans-file.ts'
import { readSettings } from '../settings/settings.ts'
import { readOrCreateSecret } from './stored-secret.ts'

export interface SandboxOptions {
  /** The folder that keeps everything between starts. */
  readonly stateDir: string
  /** The settings that are given; the sandbox stands in for whatever is not. */
  readonly given: Readonly<Record<string, string | undefined>>
}

type Environment = Readonly<Record<string, string>>

interface StandIn {
  readonly provider: string
  /** The setting that makes it needless. */
  readonly unless: string
  /** The setting that says where it listens. */
  readonly address: string
  readonly secrets: readonly string[]
  readonly known?: Environment
}

const standIns: readonly StandIn[] = [
  {
    provider: 'store',
    unless: 'STORAGE_ENDPOINT',
    address: 'STORAGE_ENDPOINT',
    secrets: ['STORAGE_SECRET_ACCESS_KEY'],
    known: {
      STORAGE_ACCESS_KEY_ID: 'sandbox',
      STORAGE_REGION: sandboxStorage.region,
      STORAGE_BUCKET: sandboxStorage.bucket,
    },
  },
  {
    provider: 'analyser',
    unless: 'MEDIA_INTELLIGENCE_URL',
    address: 'MEDIA_INTELLIGENCE_URL',
    secrets: ['MEDIA_INTELLIGENCE_SECRET'],
  },
  {
    provider: 'billing',
    unless: 'BILLING_SECRET_KEY',
    address: 'BILLING_API_BASE',
    secrets: ['BILLING_SECRET_KEY', 'BILLING_WEBHOOK_SECRET'],
    known: { BILLING_PLANS: JSON.stringify(demoPlans) },
  },
  {
    provider: 'email',
    unless: 'CORE_BASE_URL',
    address: 'EMAIL_API_BASE',
    secrets: ['EMAIL_WEBHOOK_SECRET'],
  },
]

/** The stand-ins that are needed beside what is given, by the setting that says where each listens. */
export const selectProviders = (given: SandboxOptions['given']): Environment =>
  Object.fromEntries(
    standIns.filter(({ unless }) => !given[unless]).map(({ provider, address }) => [address, provider]),
  )

/** What every process of the sandbox is told, but for the addresses that are known once the stand-ins listen. */
export const sandboxSettings = async ({ stateDir, given }: SandboxOptions): Promise<Environment> => {
  const needed = standIns.filter(({ unless }) => !given[unless])
  const names = ['GATEWAY_SECRET', 'INTERNAL_TOKEN', ...needed.flatMap(({ secrets }) => secrets)]
  const secrets = await Promise.all(
    names.map(async (name) => [name, given[name] || (await readOrCreateSecret(stateDir, name))] as const),
  )
  const { BILLING_PLANS } = await readPlansFile({ ...given })
  return {
    // Most of a start is compiling: what was compiled once is kept.
    NODE_COMPILE_CACHE: join(stateDir, 'compile-cache'),
    BILLING_STATE_FILE: join(stateDir, 'billing.json'),
    STORAGE_DIRECTORY: join(stateDir, 'objects'),
    ...Object.assign({}, ...needed.map(({ known }) => known)),
    ...(BILLING_PLANS && { BILLING_PLANS }),
    ...Object.fromEntries(secrets),
  }
}

// Addresses of what stands in are known once it listens; until then any will do.
const addressesAhead = (given: SandboxOptions['given']): Environment => ({
  ...(given.DATABASE_URL ? {} : { DATABASE_URL: 'postgres://127.0.0.1' }),
  ...(given.CORE_BASE_URL ? {} : { CORE_BASE_URL: 'none' }),
  ...(given.AUTH_JWKS_URL
    ? {}
    : { AUTH_ISSUER: 'sandbox', AUTH_AUDIENCE: 'sandbox', AUTH_JWKS_URL: 'http://127.0.0.1' }),
  ...Object.fromEntries(Object.keys(selectProviders(given)).map((name) => [name, 'http://127.0.0.1'])),
})

/** Throws `SettingsError` with all that the gateway would refuse, before anything is started for it. */
export const requireValidSettings = (given: SandboxOptions['given'], settings: Environment) => {
  readSettings({ ...given, ...settings, ...addressesAhead(given) })
}
