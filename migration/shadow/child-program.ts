import type { Settings } from '#gateway/settings/settings.ts'
import { readOwnBuild } from '#migration/evidence-keys/own-build.ts'
import { allowReading } from '#shared/processes/child-process.ts'
import { comparisonCode, comparisonProgram } from '#shared/run-time-files.ts'
import type { ShadowSettings } from './run-shadowed.ts'
import type { ChildProgram } from './spawn-child.ts'

export interface ChildSettings
  extends ShadowSettings,
    Pick<Settings, 'DATABASE_URL' | 'DATABASE_CA' | 'DATABASE_PREPARE' | 'GATEWAY_SECRET'> {
  readonly listeningUrl: string
  /** Id of the parent's code. Results count for the evidence keys of that code. */
  readonly build: string
}

export const childVariables = { settings: 'COMPARISON_SETTINGS', handlers: 'COMPARISON_HANDLERS' } as const

// Older Node versions do not restrict the network and refuse to start with an unknown flag.
const allowNetwork = process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []

// Responses depend on whether a provider is configured. The child never calls one, so it does not need the real keys.
const withoutValue = (secret: string | undefined) => (secret === undefined ? undefined : 'is set')

// Requires the primary, because a replica may lag behind what the core has read.
const withPrimary = (databaseUrl: string) => {
  const [address, query = ''] = databaseUrl.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set('target_session_attrs', 'primary')
  return `${address}?${parameters}`
}

const selectSettings = (settings: Settings, listeningUrl: string): ChildSettings => ({
  listeningUrl,
  build: readOwnBuild().id,
  DATABASE_URL: withPrimary(settings.SHADOW_DATABASE_URL ?? settings.DATABASE_URL),
  DATABASE_CA: settings.DATABASE_CA,
  DATABASE_PREPARE: settings.DATABASE_PREPARE,
  GATEWAY_SECRET: settings.GATEWAY_SECRET,
  PUBLIC_BASE_URL: settings.PUBLIC_BASE_URL,
  STORAGE_ENDPOINT: settings.STORAGE_ENDPOINT,
  STORAGE_REGION: settings.STORAGE_REGION,
  STORAGE_BUCKET: settings.STORAGE_BUCKET,
  STORAGE_ACCESS_KEY_ID: settings.STORAGE_ACCESS_KEY_ID,
  STORAGE_SECRET_ACCESS_KEY: settings.STORAGE_SECRET_ACCESS_KEY,
  UPLOAD_MAX_AUDIO_BYTES: settings.UPLOAD_MAX_AUDIO_BYTES,
  UPLOAD_MAX_ARTWORK_BYTES: settings.UPLOAD_MAX_ARTWORK_BYTES,
  UPLOAD_MAX_DOCUMENT_BYTES: settings.UPLOAD_MAX_DOCUMENT_BYTES,
  UPLOAD_URL_TTL_S: settings.UPLOAD_URL_TTL_S,
  PLAYBACK_URL_TTL_S: settings.PLAYBACK_URL_TTL_S,
  DOWNLOAD_URL_TTL_S: settings.DOWNLOAD_URL_TTL_S,
  QUOTA_LIBRARIES: settings.QUOTA_LIBRARIES,
  QUOTA_LINKS: settings.QUOTA_LINKS,
  QUOTA_REVOKED_LINKS: settings.QUOTA_REVOKED_LINKS,
  QUOTA_DOCUMENTS: settings.QUOTA_DOCUMENTS,
  QUOTA_VERSIONS: settings.QUOTA_VERSIONS,
  QUOTA_PENDING_UPLOAD_BYTES: settings.QUOTA_PENDING_UPLOAD_BYTES,
  AI_TIMEOUT_S: settings.AI_TIMEOUT_S,
  AI_MAX_TOOL_CALLS: settings.AI_MAX_TOOL_CALLS,
  AI_MAX_TOKENS: settings.AI_MAX_TOKENS,
  AI_REQUESTS_PER_DAY: settings.AI_REQUESTS_PER_DAY,
  AI_TOKENS_PER_DAY: settings.AI_TOKENS_PER_DAY,
  AI_THREAD_RETENTION_DAYS: settings.AI_THREAD_RETENTION_DAYS,
  BILLING_PLANS: settings.BILLING_PLANS,
  BILLING_SECRET_KEY: withoutValue(settings.BILLING_SECRET_KEY),
  BILLING_API_BASE: undefined,
  EMAIL_API_KEY: withoutValue(settings.EMAIL_API_KEY),
  EMAIL_FROM: settings.EMAIL_FROM,
  LINKS_API_KEY: withoutValue(settings.LINKS_API_KEY),
  MEDIA_INTELLIGENCE_URL: settings.MEDIA_INTELLIGENCE_URL,
  MEDIA_INTELLIGENCE_SECRET: settings.MEDIA_INTELLIGENCE_SECRET && ['is set'],
})

/**
 * Returns the program that compares responses. It may only read the code and use the network. If the module `handlers`
 * is given, its export `handlers` replaces the native routes.
 */
export const createChildProgram = (
  settings: Settings,
  listeningUrl: string,
  handlers?: URL,
): ChildProgram => ({
  module: comparisonProgram,
  execArgv: [
    '--permission',
    ...allowNetwork,
    ...[...comparisonCode, ...(handlers ? [new URL('.', handlers)] : [])].flatMap(allowReading),
  ],
  env: {
    [childVariables.settings]: JSON.stringify(selectSettings(settings, listeningUrl)),
    ...(handlers && { [childVariables.handlers]: handlers.href }),
    // Without this, glibc keeps about 100 MB that the threads for hashing and decompression have freed.
    MALLOC_ARENA_MAX: '2',
  },
})
