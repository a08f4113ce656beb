import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { startComparisonRecorder } from '#migration/control/evidence/comparison-recorder.ts'
import { addNewComparisons } from '#migration/control/gate/evidence-sets.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { evidenceKey, label, limits, startGateDatabase } from './gate-database.ts'

describe('the comparisons of an evidence set', () => {
  const gate = startGateDatabase()
  beforeEach(() => gate.reset())

  const readTest = async () => (await gate.sql`select test, critical::int, alarm from evidence_set`)[0]

  it('are counted exactly once while instances write and evaluate at the same time', async () => {
    const { db } = gate
    const log = createRecordingLog()
    const recorders = ['a', 'b', 'c'].map((instanceId) =>
      startComparisonRecorder({ db, instanceId, log, writeIntervalMs: 3 }),
    )
    let isDone = false
    const evaluating = [1, 2].map(async () => {
      while (!isDone) await db.transaction((tx) => addNewComparisons(tx, limits.test))
    })
    for (let comparison = 0; comparison < 300; comparison += 1) {
      for (const recorder of recorders)
        recorder.record({
          label,
          evidenceKey,
          coreStatus: 200,
          subject: null,
          shapes: [],
          isIndependent: comparison % 3 > 0,
          outcome: comparison === 150 ? 'critical' : 'equal',
        })
      await sleep(2)
    }
    for (const recorder of recorders) await recorder.close()
    isDone = true
    await Promise.all(evaluating)
    await gate.addComparisons()
    expect(log.lines).toEqual([])
    expect(await readTest()).toMatchObject({ test: { comparisons: 600, regressions: 0 }, critical: 3 })
  })

  it('start over, but keep the alarm, if another version stored them in a different format', async () => {
    await gate.saveComparisons({ comparisons: 5, critical: 1 })
    await gate.addComparisons()
    await gate.sql`update evidence_set set test = '{"version":9}', folded = '[]'`
    await gate.saveComparisons({ comparisons: 7, critical: 1 })
    await gate.addComparisons()
    expect(await readTest()).toMatchObject({ test: { comparisons: 2 }, alarm: 'critical', critical: 1 })
  })

  it('wait for the next evaluation if their row is being written', async () => {
    await gate.saveComparisons({ comparisons: 5 })
    await gate.sql.begin(async (sql) => {
      await sql`update evidence_counts set copies = 1`
      await gate.addComparisons()
    })
    expect(await readTest()).toBeUndefined()
    await gate.addComparisons()
    expect(await readTest()).toMatchObject({ test: { comparisons: 5 } })
  })
})
