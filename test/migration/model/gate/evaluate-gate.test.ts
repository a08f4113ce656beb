import { describe, expect, it } from 'vitest'
import { isTwoSided, labels, rowOf } from '#contracts/shared/row.ts'
import { applyChange } from '#migration/model/apply-change.ts'
import { evaluateGate } from '#migration/model/gate/evaluate-gate.ts'
import { defaultGateLimits, type GateInput } from '#migration/model/gate/gate-input.ts'
import { isShadowable } from '#migration/model/route-scope.ts'
import type { RouteState } from '#migration/model/route-state.ts'
import {
  canaryOf,
  createGateInput,
  evidenceKey,
  findCheck,
  goodComparisons,
  goodStep,
  now,
  stateOf,
  testAfter,
} from './gate-inputs.ts'

const list = 'tracks.list'
const hourMs = 60 * 60_000

describe('the gate of a canary', () => {
  it.each([
    [100, 500],
    [500, 2500],
    [700, 2500],
    [2500, 5000],
    [5000, 10_000],
  ])('promotes from %d to %d basis points', (from, to) => {
    expect(evaluateGate(createGateInput(canaryOf(list, from), { comparisons: null })).next).toMatchObject({
      action: 'promote',
      change: { kind: 'ramp', weightBp: to },
    })
  })

  it.each([
    [
      'too little time has passed',
      { startedAt: now - 12 * 60_000 },
      'step-time',
      '18 min of the 30 min at 5 % remain.',
      18 * 60_000,
    ],
    [
      'native has served too few requests',
      { nativeRequests: 120, nativeRequestsPerMinute: 4 },
      'native-requests',
      '120 of 300 requests served natively at 5 %; at 4 per minute, the rest takes 45 min.',
      45 * 60_000,
    ],
    [
      'native has served no requests',
      { nativeRequests: 0, nativeRequestsPerMinute: 0 },
      'native-requests',
      '0 of 300 requests served natively at 5 %; none are coming in now.',
      null,
    ],
    [
      'an alarm has been raised since the step began',
      { alarm: 'slowness' },
      'alarms',
      'Native has been too slow since the step began.',
      null,
    ],
    [
      'this code has not been observed',
      { evidenceKey: 'other' },
      'alarms',
      'This code has not been observed at 5 % yet.',
      null,
    ],
  ] as const)('blocks the step if %s', (_, changes, id, sentence, expectedMs) => {
    const input = createGateInput(canaryOf(list, 500), { step: { ...goodStep, ...changes } })
    expect(evaluateGate(input).next).toMatchObject({ action: 'blocked', blockedBy: id, expectedMs })
    expect(findCheck(input, id)?.sentence).toBe(sentence)
  })

  it("blocks a route for the full step time if the clock is behind the step's start", () => {
    const step = { ...goodStep, startedAt: now + hourMs }
    expect(findCheck(createGateInput(canaryOf(list, 500), { step }), 'step-time')?.expectedMs).toBe(
      30 * 60_000,
    )
  })

  it.each([100, 500, 2500, 5000])(
    'blocks a route at %d basis points if its comparisons have failed',
    (weightBp) => {
      const comparisons = { ...goodComparisons, test: testAfter(1000, 8) }
      const input = createGateInput(canaryOf(list, weightBp), { comparisons })
      expect(evaluateGate(input).next).toMatchObject({ action: 'blocked', blockedBy: 'comparisons' })
      expect(findCheck(input, 'comparisons')?.sentence).toBe(
        '1,000 comparisons with 8 regressions (0.8 %): this code has failed the test. Change the code to start a new test.',
      )
    },
  )

  it.each(['mismatches', 'critical'] as const)(
    'blocks a route whose comparisons have raised the alarm "%s"',
    (alarm) => {
      for (const label of labels.filter(isTwoSided)) {
        const input = createGateInput(canaryOf(label, 500), { comparisons: { ...goodComparisons, alarm } })
        expect(evaluateGate(input).next).toMatchObject({ action: 'blocked', blockedBy: 'mismatches' })
      }
    },
  )

  it('does not wait for comparisons of code that already serves clients', () => {
    const comparisons = { ...goodComparisons, test: testAfter(3), statuses: [] }
    expect(evaluateGate(createGateInput(canaryOf(list, 500), { comparisons })).next.action).toBe('promote')
  })

  it('requires comparisons of code that was deployed during the canary', () => {
    const replaced = canaryOf(list, 500, { evidenceKey: 'former-key' })
    expect(evaluateGate(createGateInput(replaced, { comparisons: null })).next.blockedBy).toBe('comparisons')
    expect(evaluateGate(createGateInput(replaced)).next.action).toBe('promote')
  })
})

describe('the checks of a step', () => {
  const idsOf = (state: RouteState, changes: Partial<GateInput>) =>
    evaluateGate(createGateInput(state, changes))
      .checks.filter(({ isMet }) => !isMet)
      .map(({ id }) => id)

  it('list a hold or failed code first, then the problems that were found, and last the checks that are met', () => {
    const wrong = { ...goodComparisons, test: testAfter(340, 2), statuses: [], alarm: 'mismatches' as const }
    const instances = { live: 3, onKey: 2 }
    const shadowed = stateOf(list, { held: true, failedEvidenceKey: evidenceKey })
    const everything = { contract: null, comparisons: wrong, instances }
    expect(idsOf(shadowed, everything)).toEqual([
      'not-held',
      'code-not-failed',
      'mismatches',
      'comparisons',
      'instances',
      'contract',
      'statuses',
    ])
    const { checks } = evaluateGate(createGateInput(shadowed, everything))
    expect(checks.slice(-4).every(({ isMet }) => isMet)).toBe(true)
    expect(checks[0]).toMatchObject({ id: 'not-held', finding: 'in-force' })
  })

  it('name errors and slowness before missing evidence', () => {
    const canary = canaryOf(list, 500)
    const step = { ...goodStep, nativeRequests: 0 }
    for (const alarm of ['errors', 'slowness'] as const)
      expect(idsOf(canary, { contract: null, step: { ...step, alarm } })).toEqual([
        'alarms',
        'contract',
        'native-requests',
      ])
    const wrong = { ...goodComparisons, alarm: 'mismatches' as const }
    expect(idsOf(canary, { comparisons: wrong, step: { ...step, alarm: 'errors' } })[0]).toBe('mismatches')
    const found = { evidenceKey, problems: 2, forbiddingDifferences: 0, validUntil: null }
    expect(idsOf(canary, { contract: found, step })).toEqual(['contract', 'native-requests'])
  })
})

describe('the gate for other routes', () => {
  it('moves a shadowable route to shadow without evidence', () => {
    const input = createGateInput(stateOf(list, { stage: 'proxy' }), {
      contract: null,
      comparisons: null,
      step: null,
    })
    expect(evaluateGate(input).next).toMatchObject({ action: 'promote', change: { kind: 'shadow' } })
  })

  it('only recommends steps for routes that cannot be shadowed, and requires no comparisons for them', () => {
    const others = labels.filter((label) => isTwoSided(label) && !isShadowable(label))
    expect(others.length).toBeGreaterThan(40)
    expect(others.every((label) => rowOf(label).effects !== 'none')).toBe(true)
    for (const label of others) {
      const input = createGateInput(stateOf(label, { stage: 'proxy' }), { comparisons: null, step: null })
      expect(evaluateGate(input).next).toMatchObject({
        action: 'recommend',
        change: { kind: 'ramp', weightBp: 100 },
      })
      expect(evaluateGate({ ...input, contract: null }).next.blockedBy).toBe('contract')
      expect(evaluateGate(createGateInput(canaryOf(label, 100))).next.action).toBe('recommend')
    }
  })

  it('has no step for a route that native serves completely or that has only one side', () => {
    for (const stage of ['native', 'retired'] as const)
      expect(evaluateGate(createGateInput(stateOf(list, { stage, weightBp: 10_000 })))).toEqual({
        checks: [],
        next: {
          change: null,
          action: 'complete',
          blockedBy: null,
          expectedMs: null,
          sentence: 'There is no next step.',
        },
      })
    expect(evaluateGate(createGateInput(stateOf('analytics.overview'))).next.action).toBe('complete')
  })

  it('moves a route from the core to native through every step, in compressed time', () => {
    const limits = { ...defaultGateLimits, minStepMs: 100, minNativeRequests: 3 }
    const weights: number[] = []
    let state = stateOf(list, { stage: 'proxy' })
    for (let time = now; state.stage !== 'native'; time += 100) {
      const step = { ...goodStep, startedAt: time - 100, nativeRequests: 3 }
      const { next } = evaluateGate(createGateInput(state, { step, now: time }), limits)
      if (next.action !== 'promote' || next.change === null) throw new Error(next.sentence)
      const conditions = {
        evidenceKey,
        instancesWithoutHandler: [],
        liveEvidenceKeys: [],
        failedCode: [],
        unknownInstances: [],
      }
      const transition = applyChange(state, next.change, conditions)
      if (transition.kind === 'illegal') throw new Error(transition.reason)
      state = transition.state
      weights.push(state.weightBp)
    }
    expect(weights).toEqual([0, 100, 500, 2500, 5000, 10_000])
  })
})
