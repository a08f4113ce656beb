import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '#db/client/connection.ts'
import { listMismatches } from '#db/queries/evidence/mismatches.ts'
import { startComparisonRecorder } from '#migration/control/evidence/comparison-recorder.ts'
import { hashAccount } from '#migration/model/gate/account-sample.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { startDatabaseRelay } from '#test/support/database-relay.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { differenceOf } from './differences.ts'

const label = 'tracks.list'
const evidenceKey = 'key-1'
const subject = hashAccount('secret', 'acct_1')

describe('the recorder of comparisons', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())
  afterEach(() => database.sql`truncate evidence_counts, route_usage, mismatch`)

  const start = (instanceId = 'a', db = database.db) => {
    const log = createRecordingLog()
    return { log, recorder: startComparisonRecorder({ db, instanceId, log, writeIntervalMs: 20 }) }
  }
  const base = {
    label,
    evidenceKey,
    coreStatus: 200,
    subject,
    shapes: ['body.items one'],
    isIndependent: true,
  } as const
  const listCounts = () =>
    database.sql`select instance_id, comparisons, regressions, critical, transients, not_comparable, repeated,
      copies, drops, statuses, shapes, accounts, added_comparisons from evidence_counts order by instance_id`

  it('counts every outcome except a regression without a vote, but always counts a leak', async () => {
    const { recorder } = start()
    for (let copy = 0; copy < 9; copy += 1) recorder.countCopy(label, evidenceKey)
    recorder.countDrop(label, evidenceKey)
    recorder.record({ ...base, outcome: 'equal' })
    recorder.record({ ...base, outcome: 'transient', coreStatus: 404, subject: null })
    recorder.record({ ...base, outcome: 'regression' })
    recorder.record({ ...base, outcome: 'critical', subject: hashAccount('secret', 'acct_2') })
    recorder.record({ ...base, outcome: 'not_comparable', coreStatus: 429 })
    recorder.record({ ...base, outcome: 'regression', isIndependent: false })
    recorder.record({ ...base, outcome: 'critical', isIndependent: false })
    recorder.recordUsage(label, 200, subject, ['body.items one'])
    recorder.recordUsage(label, 404, null, [])
    recorder.recordUsage(label, 200, subject, ['body.items one'])
    await recorder.close()
    expect([...(await listCounts())]).toEqual([
      {
        instance_id: 'a',
        comparisons: 4,
        regressions: 2,
        critical: 2,
        transients: 1,
        not_comparable: 1,
        repeated: 2,
        copies: 9,
        drops: 1,
        statuses: { 200: 5, 404: 1 },
        shapes: { 'body.items one': 6 },
        accounts: [subject, hashAccount('secret', 'acct_2')].sort(),
        added_comparisons: 0,
      },
    ])
    const usage = await database.sql`select label, instance_id, statuses, shapes, accounts from route_usage`
    expect([...usage]).toEqual([
      {
        label,
        instance_id: 'a',
        statuses: { 200: 2, 404: 1 },
        shapes: { 'body.items one': 2 },
        accounts: [subject],
      },
    ])
  })

  it('does not count accounts or links that got only errors from the core', async () => {
    const { recorder } = start()
    recorder.record({ ...base, outcome: 'equal', coreStatus: 404 })
    recorder.recordUsage(label, 404, subject, [])
    await recorder.close()
    expect([...(await listCounts())]).toMatchObject([{ comparisons: 1, accounts: [] }])
    expect([...(await database.sql`select accounts from route_usage`)]).toEqual([{ accounts: [] }])
  })

  it('counts nothing twice, however often it writes', async () => {
    const instances = [start('a'), start('b')]
    for (const { recorder } of instances) recorder.record({ ...base, outcome: 'equal' })
    await sleep(100)
    instances[0]?.recorder.record({ ...base, outcome: 'regression' })
    await sleep(100)
    for (const { recorder } of instances) await recorder.close()
    const rows = await listCounts()
    expect(rows.map(({ comparisons, regressions }) => [comparisons, regressions])).toEqual([
      [2, 1],
      [1, 0],
    ])
  })

  it('does not overwrite the number of comparisons that the evaluation has already added', async () => {
    const { recorder } = start()
    recorder.record({ ...base, outcome: 'equal' })
    await vi.waitFor(async () => expect(await listCounts()).toHaveLength(1))
    await database.sql`update evidence_counts set added_comparisons = 1`
    recorder.record({ ...base, outcome: 'equal' })
    await recorder.close()
    expect((await listCounts())[0]).toMatchObject({ comparisons: 2, added_comparisons: 1 })
  })

  it('loses nothing while the database cannot be reached', async () => {
    const relay = await startDatabaseRelay(database.url)
    const { db, close } = openDatabase(relay.url, {
      prepare: database.prepare,
      connections: 1,
      connectTimeoutMs: 200,
    })
    const { recorder, log } = start('a', db)
    recorder.record({ ...base, outcome: 'equal' })
    await vi.waitFor(async () => expect(await listCounts()).toHaveLength(1))
    relay.setUnavailable(true)
    for (let comparison = 0; comparison < 50; comparison += 1) {
      recorder.record({ ...base, outcome: 'equal' })
      recorder.recordMismatch({
        label,
        evidenceKey,
        difference: differenceOf('s1'),
        requestId: `r${comparison}`,
      })
      await sleep(5)
    }
    expect(log.lines[0]).toMatchObject({ level: 'error', message: 'failed to write comparisons' })
    relay.setUnavailable(false)
    await vi.waitFor(async () => expect((await listCounts())[0]).toMatchObject({ comparisons: 51 }))
    await recorder.close()
    await close()
    await relay.close()
    expect(await listMismatches(database.db, label)).toMatchObject([
      { count: 50, requestIds: ['r49', 'r48', 'r47', 'r46', 'r45'] },
    ])
  })

  it('closes within a second if the database does not respond', async () => {
    const relay = await startDatabaseRelay(database.url)
    const { db, close } = openDatabase(relay.url, { prepare: database.prepare, connections: 1 })
    const { recorder } = start('a', db)
    recorder.record({ ...base, outcome: 'equal' })
    await vi.waitFor(async () => expect(await listCounts()).toHaveLength(1))
    relay.onStatement = () => 'stall'
    recorder.record({ ...base, outcome: 'equal' })
    const startedAt = performance.now()
    await recorder.close()
    expect(performance.now() - startedAt).toBeLessThan(1500)
    await relay.close()
    await close()
  })
})
