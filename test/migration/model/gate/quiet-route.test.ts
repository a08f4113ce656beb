import { describe, expect, it } from 'vitest'
import { labels } from '#contracts/shared/row.ts'
import { evaluateGate } from '#migration/model/gate/evaluate-gate.ts'
import type { ComparisonEvidence, StepEvidence } from '#migration/model/gate/gate-input.ts'
import { isShadowable } from '#migration/model/route-scope.ts'
import {
  canaryOf,
  createGateInput,
  findCheck,
  goodComparisons,
  goodStep,
  now,
  stateOf,
  testAfter,
} from './gate-inputs.ts'
import { simulateQuietRoutes } from './simulate-quiet-route.ts'

const list = 'tracks.list'
const dayMs = 86_400_000

/** Ten requests a day for two weeks, all served correctly. */
const quiet: ComparisonEvidence = {
  ...goodComparisons,
  test: testAfter(140),
  firstAt: now - 14 * dayMs,
  coreRequestsPerDay: 10,
  comparisonsPerMinute: 10 / 1440,
  transients: 0,
  statuses: [
    { status: 200, responses: 69, comparisons: 138 },
    { status: 404, responses: 1, comparisons: 2 },
  ],
}
const shadowed = (changes: Partial<ComparisonEvidence> = {}) =>
  createGateInput(stateOf(list), { step: null, comparisons: { ...quiet, ...changes } })
const few: StepEvidence = {
  ...goodStep,
  startedAt: now - 3 * dayMs,
  nativeRequests: 0,
  nativeRequestsPerMinute: 0,
}
const canary = (step: Partial<StepEvidence>, changes: Partial<ComparisonEvidence> = {}, weightBp = 500) =>
  createGateInput(canaryOf(list, weightBp), {
    comparisons: { ...quiet, ...changes },
    step: { ...few, ...step },
  })

describe('a quiet read', () => {
  it('enters the canary after two weeks without a difference, and the gate says what that does not prove', () => {
    expect(evaluateGate(shadowed()).next.action).toBe('promote')
    expect(findCheck(shadowed(), 'comparisons')?.sentence).toBe(
      'Quiet route, 10 requests a day: 140 comparisons without a regression in 14 d. Too few for the usual guarantee: a fault in 10 % of requests goes unnoticed with a probability of less than 0.01 %, and a fault in 1 % with one of 24.49 %.',
    )
  })

  it.each<[string, Partial<ComparisonEvidence>, string, number | null]>([
    [
      'time',
      { firstAt: now - 5 * dayMs, test: testAfter(50) },
      'Quiet route, 10 requests a day: 50 comparisons without a regression in 5 d of the required 14 d; at least 20 comparisons are needed.',
      9 * dayMs,
    ],
    [
      'comparisons',
      { coreRequestsPerDay: 0.5, comparisonsPerMinute: 0.5 / 1440, test: testAfter(14) },
      'Quiet route, less than 1 request a day: 14 comparisons without a regression in 14 d of the required 14 d; at least 20 comparisons are needed; at 0.5 per day, the rest takes 12 d.',
      12 * dayMs,
    ],
    [
      'traffic',
      { comparisonsPerMinute: 0, test: testAfter(0) },
      'Quiet route, 10 requests a day: no comparisons in 14 d of the required 14 d; at least 20 comparisons are needed; none are coming in now.',
      null,
    ],
  ])('waits for enough %s', (_, changes, sentence, expectedMs) => {
    expect(findCheck(shadowed(changes), 'comparisons')).toMatchObject({ isMet: false, sentence, expectedMs })
  })

  it('needs the ordinary number of comparisons after one regression', () => {
    expect(findCheck(shadowed({ test: testAfter(140, 1) }), 'comparisons')).toMatchObject({
      isMet: false,
      finding: 'mismatch',
      sentence: expect.stringMatching(/^140 of 1,176 comparisons with 1 regression /),
    })
  })

  it.each(['contract', 'accounts', 'drops'] as const)('must meet the check %s like any other route', (id) => {
    const worse = {
      contract: { contract: null },
      accounts: { comparisons: { ...quiet, accounts: goodComparisons.accounts.slice(0, 9) } },
      drops: { comparisons: { ...quiet, drops: 300 } },
    }[id]
    expect(evaluateGate({ ...shadowed(), ...worse }).next.blockedBy).toBe(id)
  })

  it('is one with fewer than 48 requests a day', () => {
    const sentenceAt = (coreRequestsPerDay: number) =>
      findCheck(shadowed({ coreRequestsPerDay }), 'comparisons')?.sentence
    expect(sentenceAt(47)).toMatch(/^Quiet route, 47 requests a day: /)
    expect(sentenceAt(48)).toMatch(/^140 of 664 comparisons without a regression; /)
  })

  it('passes each percentage after three days, however few requests native has served', () => {
    for (const weightBp of [100, 500, 2500, 5000])
      expect(evaluateGate(canary({}, {}, weightBp)).next.action).toBe('promote')
    expect(findCheck(canary({}), 'native-requests')?.sentence).toBe(
      'The route is too quiet for 300 requests in 3 d. The time is up: native has served no requests at 5 %.',
    )
    expect(findCheck(canary({}), 'comparisons')?.sentence).toMatch(
      /^Quiet route, 10 requests a day: 140 comparisons without a regression\. Too few for the usual guarantee: /,
    )
    expect(
      findCheck(canary({ startedAt: now - 2 * dayMs, nativeRequests: 1 }), 'native-requests'),
    ).toMatchObject({
      isMet: false,
      sentence:
        'The route is too quiet for 300 requests in 3 d. With 1 d left, native has served 1 request at 5 %.',
      expectedMs: dayMs,
    })
  })

  it('stops moving after one regression, unless the test has passed', () => {
    const wrong = canary({}, { test: testAfter(160, 1), mainDifference: { kind: 'value', path: 'body.id' } })
    expect(evaluateGate(wrong).next.blockedBy).toBe('comparisons')
    expect(findCheck(wrong, 'comparisons')).toMatchObject({
      finding: 'mismatch',
      sentence:
        'Quiet route, 10 requests a day: 160 comparisons with 1 regression (0.63 %, most often value at body.id). A quiet route moves on only while no comparison has a regression.',
    })
    expect(evaluateGate(canary({}, { test: testAfter(1176, 1) })).next.action).toBe('promote')
  })

  it('needs the ordinary number of native requests if it has enough traffic for them', () => {
    const busier = canary({}, { coreRequestsPerDay: 2000, test: testAfter(664) })
    expect(evaluateGate(busier).next.blockedBy).toBe('native-requests')
    expect(evaluateGate({ ...busier, states: canary({}, {}, 100).states }).next.action).toBe('promote')
  })
})

it('a quiet write needs 300 native requests, and a person to move it', () => {
  const label = 'tracks.create'
  expect(labels).toContain(label)
  expect(isShadowable(label)).toBe(false)
  const state = canaryOf(label, 500)
  const { next } = evaluateGate(createGateInput(state, { comparisons: quiet, step: few }))
  expect(next).toMatchObject({ action: 'blocked', blockedBy: 'native-requests' })
  const enough = createGateInput(state, { comparisons: quiet, step: { ...few, nativeRequests: 300 } })
  expect(evaluateGate(enough).next.action).toBe('recommend')
})

describe('500 simulated routes with ten requests a day', () => {
  const simulate = (wrongFraction: number) =>
    simulateQuietRoutes({ requestsPerDay: 10, wrongFraction, days: 60 }, 500)

  it('become native within 30 days if no response is wrong', () => {
    const { native } = simulate(0)
    expect(native).toHaveLength(500)
    expect(native.at(-1)).toBeLessThanOrEqual(30)
  })

  it.each([
    [1, 0, 0],
    [0.1, 0, 0],
    [0.01, 0.3, 0.12],
  ])('with a fault rate of %d, pass no more often than the gate says', (wrong, canaries, natives) => {
    const { canary, native } = simulate(wrong)
    expect(canary.length / 500).toBeLessThanOrEqual(canaries)
    expect(native.length / 500).toBeLessThanOrEqual(natives)
  })
})
