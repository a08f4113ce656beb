import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { disableDeduplication } from '#test/native-routes/webhooks/storm/disable-deduplication.ts'
import { startRestartableDatabase } from '#test/native-routes/webhooks/storm/restartable-database.ts'
import { runStorm } from '#test/native-routes/webhooks/storm/run-storm.ts'
import { createTestDatabase } from '#test/support/database.ts'

const nothing = { lost: [], appliedTwice: [], differing: [], wrongSales: [], warnings: [] }

describe('runStorm with reordered and repeated billing events', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossfade-storm-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it("applies each event once and matches the provider's state, even if the gateway and database restart", async () => {
    const database = await startRestartableDatabase(folder)
    try {
      const restarts = [database.restart]
      const report = await runStorm({ folder, databaseUrl: database.url, events: 300, kills: 2, restarts })
      expect(report.faults).toEqual(nothing)
      expect(report.deliveries).toBeGreaterThanOrEqual(360)
      expect(report.failures).toBeGreaterThan(0)
    } finally {
      await database.stop()
    }
  }, 60_000)

  it('reports events that were applied twice if deduplication is disabled', async () => {
    const database = await createTestDatabase()
    try {
      await disableDeduplication(database.url)
      const { faults } = await runStorm({ folder, databaseUrl: database.url, events: 100, kills: 0 })
      expect(faults.lost).toEqual([])
      expect(faults.appliedTwice.length).toBeGreaterThanOrEqual(20)
    } finally {
      await database.close()
    }
  }, 60_000)
})
