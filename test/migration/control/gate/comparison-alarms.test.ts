import { beforeEach, describe, expect, it, vi } from 'vitest'
import { readGateContext, readGateInput } from '#migration/control/gate/read-gate-input.ts'
import { createNativeGuard } from '#migration/control/guard.ts'
import type { RouteStop } from '#migration/control/route-stops.ts'
import { createStoredRollback } from '#migration/control/stored-rollback.ts'
import { evaluateGate } from '#migration/model/gate/evaluate-gate.ts'
import { unmeasuredDatabase } from '#migration/model/stop/database-health.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { evidenceKey, evidenceKeys, label, limits, startGateDatabase } from './gate-database.ts'

describe('comparison alarms', () => {
  const gate = startGateDatabase()
  beforeEach(() => gate.reset())

  const findCheck = async (id: string) => {
    const { input } = await readGateInput(gate.db, await readGateContext(gate.db), label, evidenceKeys)
    return evaluateGate(input, limits).checks.find((check) => check.id === id)
  }
  const rampTo = (weightBp: number) => gate.change({ kind: 'ramp', weightBp })

  const act = (stops: readonly RouteStop[]) => {
    const guard = createNativeGuard({
      steps: new Map(),
      evidenceKeys,
      stored: createStoredRollback({ db: gate.db }, evidenceKeys),
      health: unmeasuredDatabase,
      log: createRecordingLog(),
    })
    for (const stop of stops) guard.stop(stop)
  }

  it('keep a route in shadow, and the check says why', async () => {
    await gate.saveGoodEvidence()
    await gate.saveComparisons({
      comparisons: 700,
      regressions: 9,
      copies: 801,
      drops: 10,
      statuses: { 200: 700 },
    })
    expect(await gate.addComparisons()).toEqual([{ label, evidenceKey, cause: 'mismatches' }])
    expect(await gate.evaluate()).toEqual({ promotions: [], recommendations: [], stops: [] })
    expect(await findCheck('mismatches')).toMatchObject({
      isMet: false,
      sentence:
        'Native differs from the core too often for this to be chance: 700 comparisons with 9 regressions (1.29 %).',
    })
    expect(await findCheck('comparisons')).toMatchObject({ isMet: false })
    // Later comparisons without regressions do not clear the alarm.
    await gate.saveComparisons({
      comparisons: 90_000,
      regressions: 9,
      copies: 90_000,
      statuses: { 200: 90_000 },
    })
    await gate.addComparisons()
    expect(await findCheck('mismatches')).toMatchObject({ isMet: false })
  })

  it('stop a canary at the first leak, and mark its code as failed', async () => {
    await rampTo(100)
    await gate.saveComparisons({ comparisons: 1, regressions: 1, critical: 1, statuses: { 200: 1 } })
    expect(await gate.addComparisons()).toEqual([{ label, evidenceKey, cause: 'critical' }])
    const { stops } = await gate.evaluate()
    expect(stops).toMatchObject([{ label, cause: 'critical', observer: 'fleet', evidenceKey }])
    act(stops)
    await vi.waitFor(async () =>
      expect(await gate.readState()).toMatchObject({
        state: 'shadow',
        weight_bp: 0,
        failed_evidence_key: evidenceKey,
      }),
    )
    const [rollback] = (await gate.listAudit()).filter(({ action }) => action === 'rollback')
    expect(rollback).toMatchObject({
      who: 'auto',
      reason: 'native returned data that must never leave the service, seen across all instances',
    })
    expect(await gate.evaluate()).toEqual({ promotions: [], recommendations: [], stops: [] })
    expect(await findCheck('code-not-failed')).toMatchObject({ isMet: false })
  })

  it.each([[[100]], [[5000]], [[5000, 10_000]]])(
    'roll a route back when its test fails, after steps to %j basis points',
    async (steps) => {
      for (const weightBp of steps) await rampTo(weightBp)
      await gate.saveComparisons({ comparisons: 40, regressions: 2, copies: 40, statuses: { 200: 40 } })
      expect(await gate.addComparisons()).toEqual([{ label, evidenceKey, cause: 'mismatches' }])
      const { stops } = await gate.evaluate()
      expect(stops).toMatchObject([{ label, cause: 'mismatches', observer: 'fleet', evidenceKey }])
      act(stops)
      await vi.waitFor(async () =>
        expect(await gate.readState()).toMatchObject({
          state: 'shadow',
          weight_bp: 0,
          failed_evidence_key: evidenceKey,
        }),
      )
      const rollback = (await gate.listAudit()).findLast(({ action }) => action === 'rollback')
      expect(rollback).toMatchObject({
        who: 'auto',
        reason: 'native differs from the core too often, seen across all instances',
      })
    },
  )

  it('are also raised by a leak in a comparison that is not independent', async () => {
    await gate.saveComparisons({ repeated: 1, critical: 1 })
    expect(await gate.addComparisons()).toMatchObject([{ cause: 'critical' }])
    const [set] = await gate.sql`select test, alarm, critical::int from evidence_set`
    expect(set).toMatchObject({ test: { comparisons: 0 }, alarm: 'critical', critical: 1 })
  })

  it('do not stop a route that a person moved after the alarm, until another regression follows', async () => {
    await gate.saveComparisons({ comparisons: 20, regressions: 10, copies: 20 })
    await gate.addComparisons()
    await rampTo(100)
    expect((await gate.evaluate()).stops).toEqual([])
    await gate.saveComparisons({ comparisons: 30, regressions: 10, copies: 30 })
    await gate.addComparisons()
    expect((await gate.evaluate()).stops).toEqual([])
    await gate.saveComparisons({ comparisons: 31, regressions: 11, copies: 31 })
    await gate.addComparisons()
    expect((await gate.evaluate()).stops).toMatchObject([{ cause: 'mismatches' }])
  })

  it('do not stop a route because of code that no instance runs', async () => {
    await rampTo(100)
    await gate.saveComparisons({ evidenceKey: 'old', comparisons: 1, critical: 1 })
    expect(await gate.addComparisons()).toMatchObject([{ evidenceKey: 'old' }])
    expect((await gate.evaluate()).stops).toEqual([])
  })
})
