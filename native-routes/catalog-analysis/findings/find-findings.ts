import type { Finding } from '#contracts/shared/catalog-findings.ts'
import type { ToolScope } from '../tools/define-tool.ts'
import { describeDuplicates, findDuplicateGroups } from './find-duplicates.ts'
import { findPlayFindings, readPlays } from './find-play-findings.ts'
import { findShareFindings } from './find-share-findings.ts'
import { describeUnbalancedSheets } from './find-split-sheet-findings.ts'
import { findTrackFindings } from './find-track-findings.ts'
import { readOpenLinks } from './read-open-links.ts'
import { readOpenShares } from './read-open-shares.ts'
import { readTrackFacts } from './read-track-facts.ts'
import { readUnbalancedSheets } from './read-unbalanced-sheets.ts'

export const readCatalog = async (scope: ToolScope) => {
  const links = readOpenLinks(scope)
  const [tracks, { unbalanced }, played, openLinks, shares] = await Promise.all([
    readTrackFacts(scope),
    readUnbalancedSheets(scope),
    readPlays(scope),
    links,
    links.then((found) => readOpenShares(scope, found)),
  ])
  return { tracks, unbalanced, played, links: openLinks, shares }
}

export type Catalog = Awaited<ReturnType<typeof readCatalog>>

/** Returns all findings of a catalogue, unordered. */
export const findFindings = (
  { tracks, unbalanced, played, links }: Catalog,
  now: Date,
): readonly Finding[] => [
  ...findTrackFindings(tracks, now),
  ...describeUnbalancedSheets(unbalanced),
  ...describeDuplicates(findDuplicateGroups(tracks)),
  ...findShareFindings(links, now),
  ...findPlayFindings(played, now),
]
