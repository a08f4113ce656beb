import { findTrackFactsOwnedBy, listTrackFactsOfOwner } from '#db/queries/catalog-tracks.ts'
import type { ToolScope } from '../tools/define-tool.ts'
import { readBatches } from './read-batches.ts'
import { thresholds } from './thresholds.ts'

const uploadsExpiredAt = ({ now }: ToolScope) =>
  new Date(now.valueOf() - thresholds.uploadGraceMs).toISOString()

/** The facts of the tracks of the account, newest first. */
export const readTrackFacts = (scope: ToolScope) =>
  readBatches((range) => listTrackFactsOfOwner(scope.db, scope.accountId, uploadsExpiredAt(scope), range))

/** Returns null if the account does not have the track. */
export const readFactsOfTrack = (scope: ToolScope, trackId: string) =>
  findTrackFactsOwnedBy(scope.db, trackId, scope.accountId, uploadsExpiredAt(scope))
