import { CoreError } from './core-error.ts'
import type { Queryable } from './database.ts'
import type { CoreSettings } from './settings.ts'

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

type Kind = 'version' | 'artwork' | 'document'

const isPending = (tx: Queryable) =>
  tx`uploads.status = 'pending' and expires_at + interval '1 hour' >= now()`

const selectFiles = (tx: Queryable, trackId: string, kind: Kind) =>
  kind === 'version'
    ? tx`select count(*)::int from track_versions where track_id = ${trackId}`
    : tx`select count(*)::int from media_assets where track_id = ${trackId} and kind = 'document'`

const requireFileQuota = async (
  tx: Queryable,
  trackId: string,
  kind: Kind,
  settings: CoreSettings,
  countsPending: boolean,
) => {
  if (kind === 'artwork') return
  await requireQuotaLeft(tx, {
    quota: `${kind}s`,
    limit: kind === 'version' ? settings.QUOTA_VERSIONS : settings.QUOTA_DOCUMENTS,
    subjectId: trackId,
    count: () => tx<{ used: number }[]>`
      select (${selectFiles(tx, trackId, kind)}) + count(*)::int as used from uploads
      where track_id = ${trackId} and kind = ${kind} and ${countsPending ? isPending(tx) : tx`false`}`,
  })
}

export const requireFinalizeQuota = (tx: Queryable, trackId: string, kind: Kind, settings: CoreSettings) =>
  requireFileQuota(tx, trackId, kind, settings, false)

interface NewUpload {
  readonly accountId: string
  readonly trackId: string
  readonly kind: Kind
  readonly byteSize: number
}

export const requireUploadQuotas = async (
  tx: Queryable,
  { accountId, trackId, kind, byteSize }: NewUpload,
  settings: CoreSettings,
) => {
  await requireFileQuota(tx, trackId, kind, settings, true)
  await requireQuotaLeft(tx, {
    quota: 'pending_upload_bytes',
    limit: settings.QUOTA_PENDING_UPLOAD_BYTES,
    subjectId: accountId,
    adding: byteSize,
    count: () => tx<{ used: number }[]>`
      select coalesce(sum(byte_size), 0)::float8 as used from uploads join tracks on tracks.id = track_id
      where owner_id = ${accountId} and ${isPending(tx)}`,
  })
}
