import { ApiError } from '#contracts/errors.ts'
import { replace } from '#contracts/tracks.split-sheet.ts'
import { replaceSplitSheetOfTrack } from '#db/queries/tracks/split-sheets.ts'
import { defineRoute } from '../define-route.ts'
import { presentSplitSheet } from './present-split-sheet.ts'
import { requireLockedTrack } from './require-track.ts'
import { findImbalances } from './split-sheet-balance.ts'

export const replaceSplitSheet = defineRoute(replace, async ({ track, body }, { db }) => {
  const issues = findImbalances(body)
  if (issues.length > 0) throw new ApiError('split_sheet_structural_validation_failed', { issues })
  return db.tx(async (tx) => {
    await requireLockedTrack(tx, track)
    return presentSplitSheet(track.id, await replaceSplitSheetOfTrack(tx, track.id, body))
  })
})
