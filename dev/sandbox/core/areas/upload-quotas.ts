import type { Queryable } from '../database.ts'
import { type Quotas, requireQuotaLeft } from '../quotas.ts'

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
  quotas: Quotas,
  countsPending: boolean,
) => {
  if (kind === 'artwork') return
  const quota = `${kind}s` as const
  await requireQuotaLeft(tx, {
    quota,
    limit: quotas[quota],
    subjectId: trackId,
    count: () => tx<{ used: number }[]>`
      select (${selectFiles(tx, trackId, kind)}) + count(*)::int as used from uploads
      where track_id = ${trackId} and kind = ${kind} and ${countsPending ? isPending(tx) : tx`false`}`,
  })
}

export const requireFinalizeQuota = (tx: Queryable, trackId: string, kind: Kind, quotas: Quotas) =>
  requireFileQuota(tx, trackId, kind, quotas, false)

export const requireUploadQuotas = async (
  tx: Queryable,
  {
    accountId,
    trackId,
    kind,
    byteSize,
  }: {
    readonly accountId: string
    readonly trackId: string
    readonly kind: Kind
    readonly byteSize: number
  },
  quotas: Quotas,
) => {
  await requireFileQuota(tx, trackId, kind, quotas, true)
  await requireQuotaLeft(tx, {
    quota: 'pending_upload_bytes',
    limit: quotas.pendingUploadBytes,
    subjectId: accountId,
    adding: byteSize,
    count: () => tx<{ used: number }[]>`
      select coalesce(sum(byte_size), 0)::float8 as used from uploads join tracks on tracks.id = track_id
      where owner_id = ${accountId} and ${isPending(tx)}`,
  })
}
