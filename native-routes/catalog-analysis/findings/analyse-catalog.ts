import { type Citation, type Finding, findingKinds, maxFindings } from '#contracts/shared/catalog-findings.ts'
import type { TrackPlays } from '#db/queries/catalog-analysis/catalog-plays.ts'
import type { ToolScope } from '../tools/define-tool.ts'
import { describeDuplicates, findDuplicateGroups } from './find-duplicates.ts'
import { findPlayFindings, readPlays } from './find-play-findings.ts'
import { findShareFindings, readOpenLinks } from './find-share-findings.ts'
import { describeUnbalancedSheets, readUnbalancedSheets } from './find-split-sheet-findings.ts'
import { findTrackFindings, readTrackFacts, subjectOfTrack } from './find-track-findings.ts'
import { citationsOf, orderFindings } from './order-findings.ts'
import { citedBy, type OpenShare, readOpenShares } from './read-open-shares.ts'

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

type Catalog = Awaited<ReturnType<typeof readCatalog>>

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

const maxNamed = 5

export interface CatalogAnalysis {
  readonly findings: readonly Finding[]
  readonly citations: readonly Citation[]
  /** Includes the findings that `findings` omits. */
  readonly totals: Readonly<Record<Finding['kind'], number>>
  readonly examples: readonly Finding[]
  readonly tracks: number
  readonly shares: {
    readonly links: number
    readonly withRecipient: number
    readonly newest: readonly OpenShare[]
  }
  readonly plays: {
    readonly total: number
    readonly previousTotal: number
    readonly mostPlayed: readonly TrackPlays[]
  }
}

const countByKind = (findings: readonly Finding[]): CatalogAnalysis['totals'] => {
  const byKind = Map.groupBy(findings, ({ kind }) => kind)
  return asTotals(Object.fromEntries(findingKinds.map((kind) => [kind, byKind.get(kind)?.length ?? 0])))
}

// The keys come from the list of all kinds, which the type of `Object.fromEntries` does not express.
const asTotals = (counts: Readonly<Record<string, number>>) => counts as CatalogAnalysis['totals']

const selectExamples = (ordered: readonly Finding[]) => {
  const byKind = Map.groupBy(ordered, ({ kind }) => kind)
  return findingKinds.flatMap((kind) => byKind.get(kind)?.slice(0, maxNamed) ?? [])
}

const sumPlays = (played: readonly TrackPlays[]) => ({
  total: played.reduce((sum, { plays }) => sum + plays, 0),
  previousTotal: played.reduce((sum, { previousPlays }) => sum + previousPlays, 0),
  mostPlayed: played.filter(({ plays }) => plays > 0).slice(0, maxNamed),
})

const summariseShares = (shares: readonly OpenShare[]) => {
  const links = shares.filter(({ recipient }) => recipient === null)
  const withRecipient = shares.filter(({ recipient }) => recipient !== null)
  return {
    links: links.length,
    withRecipient: withRecipient.length,
    newest: [...withRecipient.slice(0, maxNamed), ...links.slice(0, maxNamed)],
  }
}

export const analyseCatalog = async (scope: ToolScope): Promise<CatalogAnalysis> => {
  const catalog = await readCatalog(scope)
  const ordered = orderFindings(findFindings(catalog, scope.now))
  const findings = ordered.slice(0, maxFindings)
  const examples = selectExamples(ordered)
  const shares = summariseShares(catalog.shares)
  const plays = sumPlays(catalog.played)
  return {
    findings,
    citations: citationsOf([
      ...findings,
      ...examples,
      ...citedBy(shares.newest),
      ...plays.mostPlayed.map((track) => ({ subject: subjectOfTrack(track) })),
    ]),
    totals: countByKind(ordered),
    examples,
    tracks: catalog.tracks.length,
    shares,
    plays,
  }
}
