import type { QuotaName } from '#contracts/errors.ts'
import type { Queryable } from '#db/client/connection.ts'
import { countDocumentsOfTrack } from '#db/queries/media/media-assets.ts'
import {
  countPendingUploadsOfTrack,
  getFinalizationCutoff,
  sumPendingUploadBytesOfOwner,
  type UploadRow,
} from '#db/queries/media/uploads.ts'
import { countTrackVersions } from '#db/queries/tracks/track-versions.ts'
import type { OwnedTrack } from '#db/queries/tracks/tracks.ts'
import type { Ports } from '../ports.ts'
import { requireQuotaLeft } from '../quotas.ts'

type UploadKind = UploadRow['kind']
type QuotaPorts = Pick<Ports, 'quotas' | 'clock'>

const fileQuotas: { readonly [K in UploadKind]: (QuotaName & keyof Ports['quotas']) | null } = {
  version: 'versions',
  document: 'documents',
  artwork: null,
}

const countFiles = (tx: Queryable, trackId: string, kind: UploadKind) =>
  kind === 'version' ? countTrackVersions(tx, trackId) : countDocumentsOfTrack(tx, trackId)

/** `countPending` returns how many uploads count as files too. */
export const requireFileQuota = async (
  tx: Queryable,
  { id }: OwnedTrack,
  kind: UploadKind,
  { quotas }: Pick<Ports, 'quotas'>,
  countPending: () => Promise<number> | number = () => 0,
) => {
  const quota = fileQuotas[kind]
  if (quota === null) return
  await requireQuotaLeft(tx, {
    quota,
    limit: quotas[quota],
    subjectId: id,
    adding: 1,
    count: async () => (await countFiles(tx, id, kind)) + (await countPending()),
  })
}

/** Pending uploads count as files, because each can still be finalized. */
export const requireUploadQuotas = async (
  tx: Queryable,
  track: OwnedTrack,
  { kind, byteSize }: Pick<UploadRow, 'kind' | 'byteSize'>,
  { quotas, clock }: QuotaPorts,
) => {
  const cutoff = getFinalizationCutoff(clock.now())
  await requireFileQuota(tx, track, kind, { quotas }, () =>
    countPendingUploadsOfTrack(tx, track.id, kind, cutoff),
  )
  await requireQuotaLeft(tx, {
    quota: 'pending_upload_bytes',
    limit: quotas.pendingUploadBytes,
    subjectId: track.ownerId,
    adding: byteSize,
    count: () => sumPendingUploadBytesOfOwner(tx, track.ownerId, cutoff),
  })
}
