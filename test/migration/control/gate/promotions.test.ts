import { beforeEach, describe, expect, it, vi } from 'vitest'
import { addMismatches } from '#db/queries/evidence/mismatches.ts'
import { upsertInstance } from '#db/queries/routing/gateway-instances.ts'
import { saveRouteUsage } from '#db/queries/routing/route-usage.ts'
import { changeRouteState } from '#migration/control/change-route-state.ts'
import { addNewComparisons } from '#migration/control/gate/evidence-sets.ts'
import { startGateEvaluator } from '#migration/control/gate/gate-evaluator.ts'
import { evaluateGates } from '#migration/control/gate/promote-routes.ts'
import { emptyStoredRouting } from '#migration/control/routing-state.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { buildTestView } from '#test/support/routing.ts'
import { accounts, evidenceKey, evidenceKeys, label, limits, startGateDatabase } from './gate-database.ts'

/** On a busy machine, an evaluation takes longer than a second, the default of `vi.waitFor`. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, 10_000)

describe('promotions', () => {
  const gate = startGateDatabase()
  beforeEach(() => gate.reset())

  const start = (isStale = false) => {
    const log = createRecordingLog()
    const evaluator = startGateEvaluator({
      db: gate.db,
      routing: {
        current: () => buildTestView({ isStale }),
        stored: () => ({ ...emptyStoredRouting, epoch: 1 }),
      },
      guard: { stop: vi.fn() },
      evidenceKeys,
      fixedScopes: new Set<string>(),
      limits,
      log,
      intervalMs: 10,
    })
    return { log, evaluator }
  }

  it('move a route from shadow to native step by step, with the figures in the audit', async () => {
    const { evaluator, log } = start()
    await gate.saveGoodEvidence()
    for (const weight of [100, 500, 2500, 5000]) {
      await eventually(async () => expect(await gate.readState()).toMatchObject({ weight_bp: weight }))
      await gate.serveNatively(299)
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(await gate.readState()).toMatchObject({ weight_bp: weight })
      await gate.serveNatively(1)
    }
    await eventually(async () => expect(await gate.readState()).toMatchObject({ state: 'native' }))
    await evaluator.close()
    const promotions = (await gate.listAudit()).filter(({ who }) => who === 'auto')
    expect(promotions.map(({ action, weight }) => [action, weight])).toEqual(
      ['100', '500', '2500', '5000', '10000'].map((weight) => ['ramp', weight]),
    )
    expect(promotions[0]?.reason).toContain('700 comparisons without a regression: enough to pass.')
    expect(promotions[0]?.reason).toContain('30 accounts compared')
    expect(promotions[4]?.reason).toContain('Native served 300 requests at 50 %.')
    expect(log.lines.map(({ message, fields }) => [message, fields.step])).toEqual(
      ['1 %', '5 %', '25 %', '50 %', '100 %'].map((step) => ['route promoted', step]),
    )
  })

  it('move a quiet route on after two weeks without a difference', async () => {
    const compare = async (comparisons: number, regressions = 0) => {
      await gate.saveComparisons({
        comparisons,
        regressions,
        copies: comparisons,
        statuses: { 200: comparisons },
      })
      await gate.addComparisons()
    }
    await compare(39)
    await saveRouteUsage(gate.db, [
      {
        label,
        day: new Date().toISOString().slice(0, 10),
        instanceId: 'a',
        statuses: { 200: 39 },
        shapes: {},
        accounts,
      },
    ])
    expect((await gate.evaluate()).promotions).toEqual([])
    await gate.sql`update evidence_set set first_at = now() - interval '13 days'`
    expect((await gate.evaluate()).promotions).toEqual([])
    await gate.sql`update evidence_set set first_at = now() - interval '14 days'`
    await compare(40, 1)
    expect((await gate.evaluate()).promotions).toEqual([])
    await gate.sql`truncate evidence_counts, evidence_set`
    await compare(40)
    await gate.sql`update evidence_set set first_at = now() - interval '14 days'`
    expect((await gate.evaluate()).promotions).toHaveLength(1)
    expect(await gate.readState()).toMatchObject({ weight_bp: 100 })
    const promoted = (await gate.listAudit()).findLast(({ who }) => who === 'auto')
    expect(promoted?.reason).toMatch(
      /Quiet route, \d+ requests a day: 40 comparisons without a regression in 14 d/,
    )
  })

  it('are undone after one difference on a quiet route, unless a person has moved the route since', async () => {
    const counts = { comparisons: 40, copies: 40, statuses: { 200: 40 } }
    await gate.saveComparisons(counts)
    await gate.addComparisons()
    await gate.sql`update evidence_set set first_at = now() - interval '10 days'`
    await gate.change({ kind: 'ramp', weightBp: 500 })
    expect((await gate.evaluate()).stops).toEqual([])
    await gate.saveComparisons({ ...counts, comparisons: 41, regressions: 1, copies: 41 })
    await addMismatches(gate.db, [
      {
        label,
        signature: '0123456789abcdef',
        evidenceKey,
        kind: 'value',
        path: 'body.title',
        class: 'regression',
        blame: 'native',
        exampleNative: null,
        exampleCore: null,
        count: 1,
        requestIds: [],
      },
    ])
    await gate.addComparisons()
    const { version } = (await gate.readState()) ?? {}
    expect((await gate.evaluate()).stops).toEqual([
      { label, version, cause: 'mismatches', observer: 'fleet', evidenceKey },
    ])
    await gate.change({ kind: 'ramp', weightBp: 2500 })
    expect(await gate.evaluate()).toMatchObject({ stops: [], promotions: [] })
  })

  it('happen only once if several instances evaluate at the same time', async () => {
    await gate.saveGoodEvidence()
    const before = await gate.readState()
    const evaluators = [start(), start(), start()]
    await eventually(async () => expect(await gate.readState()).toMatchObject({ weight_bp: 100 }))
    await new Promise((resolve) => setTimeout(resolve, 200))
    for (const { evaluator } of evaluators) await evaluator.close()
    expect(await gate.readState()).toMatchObject({ weight_bp: 100, version: before?.version + 1 })
    const [set] = await gate.sql`select test from evidence_set`
    expect(set?.test).toMatchObject({ comparisons: 700 })
  })

  it('use comparisons counted by a process that ended before evaluating them', async () => {
    await gate.saveGoodEvidence()
    await gate.addComparisons()
    // From here on, a different process could run the test.
    expect(await gate.addComparisons()).toEqual([])
    await gate.evaluate()
    expect(await gate.readState()).toMatchObject({ weight_bp: 100 })
    const [set] = await gate.sql`select test from evidence_set`
    expect(set?.test).toMatchObject({ comparisons: 700 })
  })

  it('count comparisons again if their evaluation was not committed', async () => {
    await gate.saveGoodEvidence()
    const crash = new Error('the process has crashed')
    const aborted = gate.db.transaction(async (tx) => {
      await addNewComparisons(tx, limits.test)
      throw crash
    })
    await expect(aborted).rejects.toBe(crash)
    await gate.addComparisons()
    const [set] = await gate.sql`select test from evidence_set`
    expect(set?.test).toMatchObject({ comparisons: 700 })
  })

  it.each([
    [label, 'hold'],
    ['tracks.*', 'hold'],
    ['*', 'kill'],
  ] as const)('do not happen if an operator changes %s with %s at the same time', async (scope, kind) => {
    await gate.saveGoodEvidence()
    await gate.addComparisons()
    const locked = Promise.withResolvers<void>()
    const committing = Promise.withResolvers<void>()
    const operator = gate.db.transaction(async (tx) => {
      const requested = {
        scope,
        change: { kind },
        who: 'alice',
        reason: 'an incident',
      } as const
      await changeRouteState(tx, requested, evidenceKeys)
      locked.resolve()
      await committing.promise
    })
    await locked.promise
    const evaluation = gate.evaluate()
    await eventually(async () => {
      const waiting = await gate.sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'
        and datname = current_database()`
      expect(waiting).toHaveLength(1)
    })
    committing.resolve()
    await operator
    const outcomes = (await evaluation).promotions.map(({ outcome }) => outcome.kind)
    expect(outcomes).toEqual(scope === label ? ['stale'] : [])
    expect(await gate.readState()).toMatchObject({ weight_bp: 0 })
  })

  it('do not happen while an instance is unknown or runs different code', async () => {
    await gate.saveGoodEvidence()
    await gate.addComparisons()
    await upsertInstance(gate.db, { id: 'b', build: 'b', keys: { [label]: evidenceKey }, epoch: 0 })
    await gate.sql`update gateway_instance set beat_at = now() - interval '40 seconds' where id = 'b'`
    expect((await gate.evaluate()).promotions).toEqual([])
    await upsertInstance(gate.db, { id: 'b', build: 'b', keys: { [label]: 'other' }, epoch: 0 })
    expect((await gate.evaluate()).promotions).toEqual([])
    await upsertInstance(gate.db, { id: 'b', build: 'b', keys: { [label]: evidenceKey }, epoch: 0 })
    expect((await gate.evaluate()).promotions).toHaveLength(1)
  })

  it.each([
    ['in mode observe', { kind: 'mode', mode: 'observe' }, 0],
    ['in mode recommend', { kind: 'mode', mode: 'recommend' }, 1],
    ['held', { kind: 'hold' }, 0],
    ['killed', { kind: 'kill' }, 0],
  ] as const)('do not happen for a route that is %s', async (_, change, recommended) => {
    await gate.saveGoodEvidence()
    await gate.addComparisons()
    await gate.change(change)
    const { promotions, recommendations } = await gate.evaluate()
    expect([promotions.length, recommendations.length]).toEqual([0, recommended])
  })

  it('are announced once if a person has to make them, and never if the gateway makes them', async () => {
    const listReady = async () => {
      const rows = await gate.sql`
        select data->'notice' as notice from pgboss.job
        where name = 'notify-operators' and data->'notice'->>'type' = 'route.gate_ready' order by created_on`
      return rows.map(({ notice }) => notice)
    }
    await gate.sql`delete from pgboss.job`
    await gate.change({ kind: 'mode', mode: 'recommend' })
    await gate.evaluate()
    expect(await listReady()).toEqual([])
    await gate.saveGoodEvidence()
    await gate.addComparisons()
    const evaluators = [start(), start()]
    await eventually(async () => expect(await listReady()).toHaveLength(1))
    await gate.sql`update pgboss.job set state = 'completed', completed_on = now() where name = 'notify-operators'`
    await new Promise((resolve) => setTimeout(resolve, 100))
    for (const { evaluator } of evaluators) await evaluator.close()
    const { version } = (await gate.readState()) ?? {}
    expect(await listReady()).toEqual([
      {
        id: expect.any(String),
        type: 'route.gate_ready',
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        summary: 'tracks.list is ready for its next step, 1 %: no check of its gate blocks it',
        details: { scope: label, step: '1 %', stateVersion: version },
      },
    ])
    await gate.change({ kind: 'mode', mode: 'observe' })
    await gate.change({ kind: 'mode', mode: 'recommend' })
    await gate.evaluate()
    expect(await listReady()).toHaveLength(2)
    await gate.change({ kind: 'mode', mode: 'auto' })
    expect((await gate.evaluate()).promotions).toHaveLength(1)
    expect(await listReady()).toHaveLength(2)
  })

  it('are not announced if the transaction that finds them is rolled back', async () => {
    await gate.sql`delete from pgboss.job`
    await gate.change({ kind: 'mode', mode: 'recommend' })
    await gate.saveGoodEvidence()
    await gate.addComparisons()
    const crash = new Error('the process has crashed')
    const aborted = gate.db.transaction(async (tx) => {
      await evaluateGates(tx, { evidenceKeys, limits, fixedScopes: new Set<string>() })
      throw crash
    })
    await expect(aborted).rejects.toBe(crash)
    expect(await gate.sql`select 1 from pgboss.job`).toHaveLength(0)
    await gate.evaluate()
    expect(await gate.sql`select 1 from pgboss.job`).toHaveLength(1)
  })

  it("do not happen while the instance's routing state is stale, but comparisons are still counted", async () => {
    await gate.saveGoodEvidence()
    const { evaluator } = start(true)
    await eventually(async () => expect(await gate.sql`select 1 from evidence_set`).toHaveLength(1))
    await new Promise((resolve) => setTimeout(resolve, 100))
    await evaluator.close()
    expect(await gate.readState()).toMatchObject({ weight_bp: 0 })
  })

  it('do not happen after the contract run has expired', async () => {
    await gate.saveGoodEvidence()
    await gate.addComparisons()
    await gate.sql`update contract_result set valid_until = now() - interval '1 second'`
    expect((await gate.evaluate()).promotions).toEqual([])
    await gate.sql`update contract_result set valid_until = now() + interval '1 day'`
    expect((await gate.evaluate()).promotions).toHaveLength(1)
  })
})

describe('code that was stopped', () => {
  const gate = startGateDatabase()
  beforeEach(() => gate.reset())

  const stop = (failedKey: string) =>
    gate.db.transaction((tx) =>
      changeRouteState(
        tx,
        { scope: label, change: { kind: 'rollback' }, who: 'auto', reason: 'a test' },
        new Map([[label, failedKey]]),
      ),
    )

  it('is not promoted again, even if different code has been stopped since', async () => {
    await gate.saveGoodEvidence()
    await gate.addComparisons()
    for (const failedKey of [evidenceKey, 'different code']) {
      await gate.change({ kind: 'ramp', weightBp: 100 })
      await stop(failedKey)
    }
    expect(await gate.readState()).toMatchObject({ weight_bp: 0, failed_evidence_key: 'different code' })
    expect((await gate.evaluate()).promotions).toEqual([])
  })
})
