import { beforeEach, describe, expect, it } from 'vitest'
import { listComparedDays } from '#db/queries/evidence/evidence-counts.ts'
import { listMismatches } from '#db/queries/evidence/mismatches.ts'
import { listRouteUsage } from '#db/queries/routing/route-usage.ts'
import { retainEvidence } from '#migration/control/gate/evidence-sets.ts'
import { readComparisons } from '#migration/control/gate/read-gate-input.ts'
import { evidenceKey, label, startGateDatabase } from './gate-database.ts'

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

describe('evidence retention', () => {
  const gate = startGateDatabase()
  beforeEach(() => gate.reset())

  const readSums = async () => (await readComparisons(gate.db, label, evidenceKey, Date.now()))?.sums

  it('merges counts older than 8 days, in batches, into the totals for the same code', async () => {
    for (const [index, days] of [0, 8, 9, 20, 30].entries())
      await gate.saveComparisons({
        instanceId: `i${index}`,
        day: dayBefore(days),
        comparisons: 10,
        transients: 1,
        copies: 12,
        drops: 2,
        statuses: { 200: 9, 404: 1 },
      })
    await gate.addComparisons()
    const before = await readSums()
    expect(before).toMatchObject({ comparisons: 50, transients: 5, statuses: { 200: 45, 404: 5 } })
    await retainEvidence(gate.db, 2)
    expect(await listComparedDays(gate.db, label, evidenceKey)).toHaveLength(2)
    expect(await readSums()).toEqual(before)
    await retainEvidence(gate.db, 2)
    expect(await readSums()).toEqual(before)
  })

  it('does nothing while another instance is evaluating', async () => {
    await gate.saveComparisons({ day: dayBefore(30), comparisons: 1 })
    await gate.sql.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('gate evaluation', 0))`
      await retainEvidence(gate.db)
    })
    expect(await listComparedDays(gate.db, label, evidenceKey)).toHaveLength(1)
    await retainEvidence(gate.db)
    expect(await listComparedDays(gate.db, label, evidenceKey)).toHaveLength(0)
  })

  it('deletes usage after 8 days, and mismatches that have not recurred for 7 days', async () => {
    for (const days of [0, 6, 8, 9, 40])
      await gate.sql`insert into route_usage values (${label}, ${dayBefore(days)}, 'a', '{"200":1}', '[]')`
    for (const days of [0, 6, 8])
      await gate.sql`
        insert into mismatch values (${label}, ${`s${days}`}, 'k', 'value', 'body', 'regression', 'native', null, null,
          1, '{}', now() - interval '60 days', now() - ${days} * interval '1 day')`
    await retainEvidence(gate.db, 1)
    expect(await gate.sql`select 1 from route_usage`).toHaveLength(3)
    expect(await listRouteUsage(gate.db, label)).toHaveLength(2)
    expect((await listMismatches(gate.db, label)).map(({ signature }) => signature)).toEqual(['s0', 's6'])
  })

  it("keeps a route's 20 most recently compared evidence keys", async () => {
    for (let code = 0; code < 22; code += 1) {
      await gate.saveComparisons({ evidenceKey: `code-${code}`, comparisons: 1, copies: 1 })
      await gate.addComparisons()
    }
    // `code-2`, the oldest key that is left, is compared again.
    await gate.saveComparisons({ evidenceKey: 'code-2', comparisons: 2, copies: 2 })
    await gate.addComparisons()
    await gate.saveComparisons({ evidenceKey: 'code-22', comparisons: 1, copies: 1 })
    await gate.addComparisons()
    const keys = (await gate.sql`select evidence_key as key from evidence_set`).map(({ key }) => key)
    expect(keys).toHaveLength(20)
    expect(keys).toEqual(expect.arrayContaining(['code-2', 'code-22']))
    expect(keys).not.toContain('code-3')
    const counted = (await gate.sql`select distinct evidence_key as key from evidence_counts`).map(
      ({ key }) => key,
    )
    expect(counted.sort()).toEqual(keys.sort())
  })
})
