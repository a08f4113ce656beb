import { detail } from '#contracts/tracks.split-sheet.ts'
import { findSplitSheet } from '#db/queries/tracks/split-sheets.ts'
import { defineRoute } from '../define-route.ts'
import { presentSplitSheet } from './present-split-sheet.ts'

export const showSplitSheet = defineRoute(detail, async ({ track }, { db }) =>
  presentSplitSheet(track.id, await findSplitSheet(db.read, track.id)),
)
