import * as z from 'zod'
import { CoreError } from './core-error.ts'
import type { Queryable } from './database.ts'
import { positiveInteger, readEnvironment } from './read-environment.ts'

export const defaultQuotas = {
  libraries: 1000,
  links: 1000,
  revokedLinks: 10_000,
  documents: 1000,
  versions: 1000,
  pendingUploadBytes: 50 * 1024 ** 3,
}

export type Quotas = Readonly<typeof defaultQuotas>

const Environment = z
  .object({
    QUOTA_LIBRARIES: positiveInteger(defaultQuotas.libraries),
    QUOTA_LINKS: positiveInteger(defaultQuotas.links),
    QUOTA_REVOKED_LINKS: positiveInteger(defaultQuotas.revokedLinks),
    QUOTA_DOCUMENTS: positiveInteger(defaultQuotas.documents),
    QUOTA_VERSIONS: positiveInteger(defaultQuotas.versions),
    QUOTA_PENDING_UPLOAD_BYTES: positiveInteger(defaultQuotas.pendingUploadBytes),
  })
  .transform((env) => ({
    libraries: env.QUOTA_LIBRARIES,
    links: env.QUOTA_LINKS,
    revokedLinks: env.QUOTA_REVOKED_LINKS,
    documents: env.QUOTA_DOCUMENTS,
    versions: env.QUOTA_VERSIONS,
    pendingUploadBytes: env.QUOTA_PENDING_UPLOAD_BYTES,
  }))

export const readQuotas = (env: NodeJS.ProcessEnv): Quotas => readEnvironment(Environment, env)

/** Serializes transactions that count the same items, so that concurrent requests cannot exceed a quota. */
export const lockQuota = (tx: Queryable, quota: string, subjectId: string) =>
  tx`select pg_advisory_xact_lock(hashtextextended(${`quota.${quota} ${subjectId}`}, 0))`

interface QuotaUse {
  readonly quota: 'libraries' | 'links' | 'documents' | 'versions' | 'pending_upload_bytes'
  readonly limit: number
  readonly subjectId: string
  readonly adding?: number
  /** Must select a column named `used`. */
  readonly count: () => PromiseLike<readonly { readonly used: number }[]>
}

export const requireQuotaLeft = async (
  tx: Queryable,
  { quota, limit, subjectId, adding = 1, count }: QuotaUse,
) => {
  await lockQuota(tx, quota, subjectId)
  const [row] = await count()
  if ((row?.used ?? 0) + adding > limit)
    throw new CoreError('quota_exceeded', { message: `No more ${quota} are allowed.`, quota, limit })
}
