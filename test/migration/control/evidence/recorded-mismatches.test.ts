import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '#db/client/connection.ts'
import { listMismatches } from '#db/queries/evidence/mismatches.ts'
import { startComparisonRecorder } from '#migration/control/evidence/comparison-recorder.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { startDatabaseRelay } from '#test/support/database-relay.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { differenceOf } from './differences.ts'

const label = 'tracks.list'
const evidenceKey = 'key-1'

describe('recorded mismatches', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())
  afterEach(() => database.sql`truncate mismatch`)

  const start = (db = database.db) =>
    startComparisonRecorder({ db, instanceId: 'a', log: createRecordingLog(), writeIntervalMs: 20 })

  it('are counted once even if the database commits the write but its response is lost', async () => {
    const relay = await startDatabaseRelay(database.url)
    const { db, close } = openDatabase(relay.url, {
      prepare: database.prepare,
      connections: 1,
      connectTimeoutMs: 200,
    })
    let commits = 0
    relay.onStatement = (statement) => {
      if (statement !== 'commit') return null
      commits += 1
      return commits === 1 ? 'cut-after' : null
    }
    const recorder = start(db)
    recorder.recordMismatch({ label, evidenceKey, difference: differenceOf('s1'), requestId: 'r1' })
    await vi.waitFor(() => expect(commits).toBe(1))
    recorder.recordMismatch({ label, evidenceKey, difference: differenceOf('s1'), requestId: 'r2' })
    await vi.waitFor(() => expect(commits).toBe(2))
    await recorder.close()
    await close()
    await relay.close()
    expect(await listMismatches(database.db, label)).toMatchObject([{ count: 2, requestIds: ['r2', 'r1'] }])
  })

  it('name the read that showed a difference after a write, but no key that contains data', async () => {
    const recorder = start()
    const path = 'tracks.split-sheet.detail body.by.a@b.example of tracks'
    recorder.recordMismatch({
      label,
      evidenceKey,
      difference: { ...differenceOf('s1'), path },
      requestId: 'r',
    })
    await recorder.close()
    expect(await listMismatches(database.db, label)).toMatchObject([
      { path: 'tracks.split-sheet.detail body.by.?.?' },
    ])
  })

  it('add up what several instances find concurrently', async () => {
    const recorders = [start(), start(), start()]
    for (let round = 0; round < 10; round += 1) {
      for (const recorder of recorders)
        for (const signature of ['s1', 's2', 's3'].toSorted(() => (round % 2 ? 1 : -1)))
          recorder.recordMismatch({ label, evidenceKey, difference: differenceOf(signature), requestId: 'r' })
      await sleep(25)
    }
    for (const recorder of recorders) await recorder.close()
    const rows = await listMismatches(database.db, label)
    expect(rows.map(({ count }) => count)).toEqual([30, 30, 30])
  })

  it.each(['one write', 'several writes'])(
    'stay severe, with the severe example, if the same difference is later transient, in %s',
    async (writes) => {
      const recorder = start()
      for (const [index, differenceClass] of (['transient', 'regression', 'transient'] as const).entries()) {
        const difference = differenceOf('s1', {
          class: differenceClass,
          example: { path: 'body.tracks.0.title', native: differenceClass, core: null },
        })
        recorder.recordMismatch({ label, evidenceKey, difference, requestId: `r${index}` })
        if (writes === 'several writes')
          await expect.poll(async () => (await listMismatches(database.db, label))[0]?.count).toBe(index + 1)
      }
      await recorder.close()
      expect(await listMismatches(database.db, label)).toMatchObject([
        { class: 'regression', exampleNative: 'regression', count: 3, requestIds: ['r2', 'r1', 'r0'] },
      ])
    },
  )

  it('are limited to 200 differences per route, and leaks take precedence', async () => {
    const recorder = start()
    recorder.recordMismatch({
      label,
      evidenceKey,
      difference: differenceOf('leak', { class: 'critical' }),
      requestId: 'r0',
    })
    for (let signature = 0; signature < 10_000; signature += 1) {
      recorder.recordMismatch({
        label,
        evidenceKey,
        difference: differenceOf(`s${signature}`),
        requestId: 'r',
      })
      if (signature % 500 === 0) await sleep(25)
    }
    await recorder.close()
    const rows = await listMismatches(database.db, label)
    expect(rows).toHaveLength(200)
    expect(rows.filter((row) => row.class === 'critical')).toHaveLength(1)
  })

  it('contain no object keys, and only enough of a value to recognize it', async () => {
    const recorder = start()
    const difference = differenceOf('s1', {
      path: 'body.owners.jane@example.test.name',
      example: { path: 'body.owners.jane@example.test.name', native: 'n'.repeat(5000), core: null },
    })
    recorder.recordMismatch({ label, evidenceKey, difference, requestId: 'r1' })
    await recorder.close()
    const [row] = await listMismatches(database.db, label)
    expect(JSON.stringify(row)).not.toContain('jane')
    expect(row?.exampleNative).toHaveLength(100)
  })
})
