import type { Tool } from './define-tool.ts'
import { duplicates } from './duplicates.ts'
import { missingIdentifiers } from './missing-identifiers.ts'
import { openShares } from './open-shares.ts'
import { playsAndTrends } from './plays-and-trends.ts'
import { searchTracks } from './search-tracks.ts'
import { splitSheets } from './split-sheets.ts'
import { trackReadiness } from './track-readiness.ts'

export const tools: readonly Tool[] = [
  searchTracks,
  trackReadiness,
  missingIdentifiers,
  splitSheets,
  openShares,
  playsAndTrends,
  duplicates,
]
