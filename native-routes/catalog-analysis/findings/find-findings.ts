import type { Finding } from '#contracts/shared/catalog-findings.ts'
import type { ToolScope } from '../tools/define-tool.ts'
import { describeDuplicates, findDuplicateGroups } from './find-duplicates.ts'
import { findPlayFindings, readPlays } from './find-play-findings.ts'
import { findShareFindings } from './find-share-findings.ts'
import {
  describeUnbalancedSheets,
  findUnbalancedSheets,
  readSplitSheets,
} from './find-split-sheet-findings.ts'
import { findTrackFindings } from './find-track-findings.ts'
import { readOpenLinks } from './read-open-links.ts'
import { readTrackFacts } from './read-track-facts.ts'

/** Everything that the findings of a catalogue derive from. */
export const readCatalog = async (scope: ToolScope) => {
  const [tracks, sheets, links, played] = await Promise.all([
    readTrackFacts(scope),
    readSplitSheets(scope),
    readOpenLinks(scope),
    readPlays(scope),
  ])
  return { tracks, sheets, links, played }
}

/** All findings of a catalogue, in no order. */
export const findFindings = async (scope: ToolScope): Promise<readonly Finding[]> => {
  const { tracks, sheets, links, played } = await readCatalog(scope)
  return [
    ...findTrackFindings(tracks, scope.now),
    ...describeUnbalancedSheets(findUnbalancedSheets(sheets)),
    ...describeDuplicates(findDuplicateGroups(tracks)),
    ...findShareFindings(links, scope.now),
    ...findPlayFindings(played, scope.now),
  ]
}
