import { beforeAll, describe, expect, it } from 'vitest'
import { listSplitSheetsOfOwner } from '#db/queries/catalog-analysis/catalog-split-sheets.ts'
import { readUnbalancedSheets } from '#native-routes/catalog-analysis/findings/find-split-sheet-findings.ts'
import { tools } from '#native-routes/catalog-analysis/tools/index.ts'
import { catalogNow } from '#test/support/catalog/add-track.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'

const accountId = 'acct_long_sheets'

interface Share {
  readonly collaboratorId: string
  readonly percentage: number
}

const createShares = (count: number, percentage: number, idOf: (index: number) => string): Share[] =>
  Array.from({ length: count }, (_, index) => ({ collaboratorId: idOf(index), percentage }))

const uniqueId = () => crypto.randomUUID()
const whole = createShares(1, 100, uniqueId)

/**
 * The owners of the master in each sheet. The last sheet is a long text, but its stored form is compressed and short.
 */
const masters: Readonly<Record<string, readonly Share[]>> = {
  short: whole,
  'short, out of balance': createShares(3, 33.3, uniqueId),
  long: createShares(10_000, 0.01, uniqueId),
  'long, out of balance': createShares(10_000, 0.02, uniqueId),
  'long, repetitive': createShares(2000, 0.05, () => 'same'),
}

describe('split sheets with thousands of shares', () => {
  let database: TestDatabase
  const scope = () => ({ accountId, db: database.db, now: catalogNow })

  beforeAll(async () => {
    database = await createTestDatabase()
    const { sql } = database
    for (const [title, master] of Object.entries(masters)) {
      const trackId = await insertTrackOf(sql, accountId, title)
      await sql`
        insert into split_sheets (track_id, master, writers, validated_at)
        values (${trackId}, ${JSON.stringify(master)}::text::jsonb, ${JSON.stringify(whole)}::text::jsonb, now())`
    }
    return () => database.close()
  })

  it('are listed without their shares', async () => {
    const rows = await listSplitSheetsOfOwner(database.db, accountId, { after: null, limit: 500 })
    expect(rows).toHaveLength(5)
    for (const { title, shares } of rows) {
      if (title.startsWith('long')) expect(shares).toBeNull()
      else expect(shares).toEqual({ master: masters[title], writers: whole, publishers: [] })
    }
    expect(JSON.stringify(rows).length).toBeLessThan(5 * 4096)
  })

  it('are checked, but only their first ten issues are kept', async () => {
    const { sheets, unbalanced } = await readUnbalancedSheets(scope())
    expect(sheets).toBe(5)
    const found = Object.fromEntries(
      unbalanced.map(({ title, issues, issueCount }) => [title, [issues.length, issueCount]]),
    )
    expect(found).toEqual({
      'short, out of balance': [1, 1],
      'long, out of balance': [1, 1],
      'long, repetitive': [10, 1999],
    })
  })

  it('are reported by both split_sheets and track_readiness', async () => {
    const [tool, readiness] = ['split_sheets', 'track_readiness'].map(
      (name) => tools.find((known) => known.name === name)!,
    )
    const { output, findings } = await tool!.run(scope(), {})
    expect(output).toMatchObject({ sheets: 5, unbalancedTotal: 3 })
    const found = findings.find(
      ({ kind, subject }) => kind === 'split_sheet_unbalanced' && subject.title === 'long, repetitive',
    )
    expect(found?.message).toMatch(/and 1998 more\.$/)
    const ofTrack = await readiness!.run(scope(), { trackId: found!.subject.id })
    expect(ofTrack.findings).toContainEqual(found)
  })

  it('are not read any further once the question is aborted', async () => {
    const signal = AbortSignal.abort(new Error('aborted'))
    await expect(readUnbalancedSheets({ ...scope(), signal })).rejects.toBe(signal.reason)
  })
})
