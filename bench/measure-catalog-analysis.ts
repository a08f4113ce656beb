import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { type Database, openDatabase } from '#db/client/connection.ts'
import { listOpenPackLinks, listOpenSplitSheetLinks, listOpenTrackLinks } from '#db/queries/catalog-links.ts'
import { listPlaysOfTracks } from '#db/queries/catalog-plays.ts'
import { listInvitationsToOpenPacks, listLiveLibraryShares } from '#db/queries/catalog-shares.ts'
import { listSplitSheetsOfOwner } from '#db/queries/catalog-split-sheets.ts'
import { listTrackFactsOfOwner } from '#db/queries/catalog-tracks.ts'
import { analyseCatalog } from '#native-routes/catalog-analysis/findings/analyse-catalog.ts'
import { comparePeriods } from '#native-routes/catalog-analysis/findings/find-play-findings.ts'
import { readBatches } from '#native-routes/catalog-analysis/findings/read-batches.ts'
import { catalogNow } from '#test/support/catalog/add-track.ts'
import { type SeededCatalog, seedCatalog } from '#test/support/catalog/seed-catalog.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { ownCpuSecondsOf } from './process-usage.ts'
import { intervalOfMedian, median, pairedRatios } from './statistics.ts'
import { table } from './tables.ts'

const maxRatio = 3
const warmUps = 20
// As many as an analysis reads in one statement.
const batch = { after: null, limit: 2000 }
const sheetsOfBatch = 500
const listed = 20_000

interface Cost {
  readonly ms: number
  /** Of this process and of the session of the database. */
  readonly cpuMs: number
}

/** Each statement of an analysis by itself, with the rows that it returns. */
const createQueries = (db: Database['reader'], accountId: string) => {
  const now = catalogNow.toISOString()
  return {
    'facts of tracks': () => listTrackFactsOfOwner(db, accountId, now, batch),
    // An analysis reads until a batch is not full.
    'facts after the last track': () =>
      listTrackFactsOfOwner(db, accountId, now, {
        ...batch,
        after: { at: '2000-01-01T00:00:00.000Z', id: '' },
      }),
    'split sheets': async () => {
      for await (const _ of readBatches(sheetsOfBatch, (range) =>
        listSplitSheetsOfOwner(db, accountId, range),
      ));
    },
    plays: () => listPlaysOfTracks(db, accountId, comparePeriods(catalogNow), listed),
    'links to tracks': () => listOpenTrackLinks(db, accountId, now, listed),
    'links to packs': () => listOpenPackLinks(db, accountId, now, listed),
    'links to split sheets': () => listOpenSplitSheetLinks(db, accountId, now, listed),
    'shares of libraries': () => listLiveLibraryShares(db, accountId, listed),
    invitations: () => listInvitationsToOpenPacks(db, accountId, now, listed),
  }
}

const measureCost = async (
  sessionPid: number,
  seconds: number,
  work: () => Promise<unknown>,
): Promise<Cost> => {
  const cpuBefore = process.cpuUsage()
  const sessionBefore = await ownCpuSecondsOf(sessionPid)
  const startedAt = performance.now()
  let runs = 0
  while (performance.now() - startedAt < seconds * 1000) {
    await work()
    runs += 1
  }
  const ms = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  const sessionMs = ((await ownCpuSecondsOf(sessionPid)) - sessionBefore) * 1000
  return { ms: ms / runs, cpuMs: ((user + system) / 1000 + sessionMs) / runs }
}

const measureRound = async (
  contestants: readonly (readonly [string, () => Promise<unknown>])[],
  round: number,
  measure: (work: () => Promise<unknown>) => Promise<Cost>,
) => {
  const first = round % contestants.length
  const costs = new Map<string, Cost>()
  for (const [name, work] of [...contestants.slice(first), ...contestants.slice(0, first)])
    costs.set(name, await measure(work))
  return costs
}

const sumUp = (costs: ReadonlyMap<string, Cost>, names: readonly string[], of: keyof Cost) =>
  names.reduce((sum, name) => sum + (costs.get(name)?.[of] ?? Number.NaN), 0)

const analysis = 'analysis'

const compareCosts = (
  rounds: readonly ReadonlyMap<string, Cost>[],
  queries: readonly string[],
  of: keyof Cost,
) => {
  const analyses = rounds.map((costs) => sumUp(costs, [analysis], of))
  const sums = rounds.map((costs) => sumUp(costs, queries, of))
  const ratios = pairedRatios(analyses, sums)
  const [low, high] = intervalOfMedian(ratios)
  return [
    median(analyses).toFixed(1),
    median(sums).toFixed(1),
    median(ratios).toFixed(2),
    `${low.toFixed(2)} to ${high.toFixed(2)}`,
    high <= maxRatio ? 'yes' : 'no',
  ]
}

const seed = async (databaseUrl: string): Promise<SeededCatalog> => {
  const connection = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    // Others have catalogues too.
    for (const prefix of ['bob', 'carol', 'dave']) await seedCatalog(connection, prefix)
    return await seedCatalog(connection, 'alice')
  } finally {
    await connection.end()
  }
}

const findSession = async ({ db }: Database) => {
  const [session] = await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  if (!session) throw new Error('the database has no session')
  return session.pid
}

/** Measures what an analysis of 2,000 tracks costs beside its statements alone, on one connection. */
export const measureCatalogAnalysis = async (
  { databaseUrl }: Bench,
  { rounds, seconds }: BenchOptions,
): Promise<string> => {
  const { accountId } = await seed(databaseUrl)
  const database = openDatabase(databaseUrl, { connections: 1 })
  try {
    const queries = createQueries(database.reader, accountId)
    const scope = { accountId, db: database.reader, now: catalogNow }
    const contestants = [[analysis, () => analyseCatalog(scope)] as const, ...Object.entries(queries)]
    for (const [, work] of contestants) for (let run = 0; run < warmUps; run++) await work()
    const pid = await findSession(database)
    const costs: ReadonlyMap<string, Cost>[] = []
    for (let round = 0; round < rounds; round++)
      costs.push(await measureRound(contestants, round, (work) => measureCost(pid, seconds, work)))
    const names = Object.keys(queries)
    const perQuery = names.map((name) => [
      name,
      median(costs.map((cost) => sumUp(cost, [name], 'ms'))).toFixed(2),
      median(costs.map((cost) => sumUp(cost, [name], 'cpuMs'))).toFixed(2),
    ])
    return [
      `2,000 tracks, ${rounds} rounds of ${seconds} s for each:`,
      table(
        ['', 'analysis', 'its statements', 'ratio', '95 % interval', `at most ${maxRatio}`],
        [
          ['elapsed ms', ...compareCosts(costs, names, 'ms')],
          ['CPU ms of both processes', ...compareCosts(costs, names, 'cpuMs')],
        ],
      ),
      table(['statement', 'elapsed ms', 'CPU ms'], perQuery),
    ].join('\n\n')
  } finally {
    await database.close()
  }
}
