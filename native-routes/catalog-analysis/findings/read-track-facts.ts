import {
  findTrackFactsOwnedBy,
  listTrackFactsOfOwner,
  type TrackFacts,
} from '#db/queries/catalog-analysis/catalog-tracks.ts'
import type { ToolScope } from '../tools/define-tool.ts'
import { readBatches } from './read-batches.ts'
import { thresholds } from './thresholds.ts'

// Longer lists take several statements, so the driver never parses one long result.
const batchSize = 2000

const uploadsExpiredAt = ({ now }: ToolScope) =>
  new Date(now.valueOf() - thresholds.uploadGraceMs).toISOString()

export const readTrackFacts = async (scope: ToolScope): Promise<readonly TrackFacts[]> => {
  const tracks: TrackFacts[] = []
  const batches = readBatches(batchSize, (range) =>
    listTrackFactsOfOwner(scope.db, scope.accountId, uploadsExpiredAt(scope), range),
  )
  for await (const batch of batches) tracks.push(...batch)
  return tracks
}

export const readFactsOfTrack = (scope: ToolScope, trackId: string) =>
  findTrackFactsOwnedBy(scope.db, trackId, scope.accountId, uploadsExpiredAt(scope))
