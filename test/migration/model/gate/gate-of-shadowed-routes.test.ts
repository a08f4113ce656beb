import { describe, expect, it } from 'vitest'
import type { CheckId } from '#migration/model/gate/check.ts'
import { evaluateGate } from '#migration/model/gate/evaluate-gate.ts'
import type { ComparisonEvidence, GateInput } from '#migration/model/gate/gate-input.ts'
import {
  accountsOf,
  createGateInput,
  evidenceKey,
  findCheck,
  goodComparisons,
  now,
  stateOf,
  testAfter,
} from './gate-inputs.ts'

const list = 'tracks.list'

const shadowed = (changes: Partial<ComparisonEvidence> = {}, input: Partial<GateInput> = {}) =>
  createGateInput(stateOf(list), { comparisons: { ...goodComparisons, ...changes }, ...input })

describe('the gate of a shadowed route', () => {
  it('promotes to 1 % in mode auto when all checks are met', () => {
    expect(evaluateGate(shadowed()).next).toEqual({
      change: { kind: 'ramp', weightBp: 100 },
      action: 'promote',
      blockedBy: null,
      expectedMs: 0,
      sentence: 'Next step: 1 %. No check blocks it.',
    })
  })

  it('states how many comparisons are missing and when the route will pass', () => {
    const { next, checks } = evaluateGate(shadowed({ test: testAfter(412) }))
    expect(checks.find(({ id }) => id === 'comparisons')).toMatchObject({
      sentence: '412 of 664 comparisons without a regression; at 3 per minute, the rest takes 1 h 24 min.',
      expectedMs: 84 * 60_000,
    })
    expect(next).toMatchObject({ action: 'blocked', blockedBy: 'comparisons', expectedMs: 84 * 60_000 })
    expect(next.sentence).toBe(
      'Next step: 1 %, blocked by comparisons. 412 of 664 comparisons without a regression; at 3 per minute, the rest takes 1 h 24 min. Expected in 1 h 24 min.',
    )
  })

  it.each<[string, Partial<ComparisonEvidence>, CheckId, string]>([
    [
      'a regression',
      { test: testAfter(664, 1) },
      'comparisons',
      '664 of 1,176 comparisons with 1 regression (0.15 %); at 3 per minute, the rest takes 2 h 51 min.',
    ],
    [
      'failed comparisons',
      { test: testAfter(120, 3), mainDifference: { kind: 'value', path: 'body.title' } },
      'comparisons',
      '120 comparisons with 3 regressions (2.5 %, most often value at body.title): this code has failed the test. Change the code to start a new test.',
    ],
    [
      'a lack of traffic',
      { test: testAfter(412), comparisonsPerMinute: 0 },
      'comparisons',
      '412 of 664 comparisons without a regression; none are coming in now.',
    ],
    [
      'little traffic',
      { test: testAfter(664, 1), comparisonsPerMinute: 0.0005 },
      'comparisons',
      '664 of 1,176 comparisons with 1 regression (0.15 %); at 0.72 per day, the rest takes more than a year.',
    ],
    [
      'a leak',
      { alarm: 'critical', mainDifference: { kind: 'leak', path: 'body.token' } },
      'mismatches',
      'Native returned data that must never leave the service (body.token).',
    ],
    [
      'an alarm about regressions',
      { alarm: 'mismatches' },
      'mismatches',
      'Native differs from the core too often for this to be chance.',
    ],
    [
      'a status that was hardly compared',
      { statuses: [...goodComparisons.statuses, { status: 403, responses: 1000, comparisons: 2 }] },
      'statuses',
      '2 of 5 comparisons of status 403; at 3 per minute, the rest takes 1 h 41 min.',
    ],
    [
      'a status that the core returned only once',
      { statuses: [{ status: 200, responses: 1, comparisons: 4 }] },
      'statuses',
      '4 of 5 comparisons of status 200; at 3 per minute, the rest takes 20 s.',
    ],
    [
      'a lack of responses from the core',
      { statuses: [] },
      'statuses',
      'In the last 7 days, the core returned no response that can be compared.',
    ],
    [
      'shapes that were hardly compared',
      {
        shapes: [
          ...goodComparisons.shapes,
          { shape: 'query cursor=text', responses: 800, comparisons: 1 },
          { shape: 'body.records.*.isrc null', responses: 8000, comparisons: 0 },
        ],
      },
      'shapes',
      'Compared too rarely: query cursor=text (1 of 3), body.records.*.isrc null (0 of 3); at 3 per minute, the rest takes 1 h 7 min.',
    ],
    [
      'many transient differences',
      { transients: 34 },
      'transients',
      '34 of 664 comparisons found a difference only where the core disagreed with itself: 5.12 %; at most 5 % is allowed.',
    ],
    [
      'many dropped comparisons',
      { drops: 161 },
      'drops',
      '161 of 800 copied responses were never compared: 20.13 %; at most 20 % is allowed.',
    ],
    [
      'few accounts',
      { accounts: accountsOf(63), activeAccounts: accountsOf(64) },
      'accounts',
      '63 of 64 accounts compared (64 used the route in 7 days); at 17 per hour, the rest takes 3 min 31 s.',
    ],
    [
      'one missing account out of seven',
      { accounts: accountsOf(6), activeAccounts: accountsOf(7) },
      'accounts',
      '6 of 7 accounts compared (7 used the route in 7 days); at 1.6 per hour, the rest takes 36 min 54 s.',
    ],
    [
      'an unknown number of accounts',
      { accounts: accountsOf(7), activeAccounts: [] },
      'accounts',
      '7 of 64 accounts compared (an unknown number used the route in 7 days); at 1.9 per hour, the rest takes 1 d 7 h.',
    ],
  ])('blocks the step because of %s', (_, changes, id, sentence) => {
    const input = shadowed(changes)
    expect(evaluateGate(input).next).toMatchObject({ action: 'blocked', blockedBy: id })
    expect(findCheck(input, id)?.sentence).toBe(sentence)
  })

  it.each<[string, Partial<ComparisonEvidence>]>([
    [
      'comparisons of all accounts, even if there are fewer than 64',
      { accounts: accountsOf(7), activeAccounts: accountsOf(7) },
    ],
    ['exactly 5 % transient differences', { test: testAfter(700), transients: 35 }],
    ['exactly 20 % dropped comparisons', { drops: 160 }],
    [
      'failures and rate limits of the core that were never compared',
      {
        statuses: [
          ...goodComparisons.statuses,
          { status: 503, responses: 9, comparisons: 0 },
          { status: 429, responses: 9, comparisons: 0 },
        ],
      },
    ],
  ])('promotes a route with %s', (_, changes) => {
    expect(evaluateGate(shadowed(changes)).next.action).toBe('promote')
  })

  it.each<[string, Partial<GateInput>, CheckId, string]>([
    [
      'a missing contract run',
      { contract: null },
      'contract',
      'No contract run for this code yet (npm run contract -- --post).',
    ],
    [
      'a contract run of different code',
      { contract: { evidenceKey: 'other', problems: 0, forbiddingDifferences: 0, validUntil: null } },
      'contract',
      'No contract run for this code yet (npm run contract -- --post).',
    ],
    [
      'problems in the contract run',
      { contract: { evidenceKey, problems: 2, forbiddingDifferences: 1, validUntil: null } },
      'contract',
      'The contract run for this code found 2 problems and 1 accepted difference that forbids promotion.',
    ],
    [
      'a contract run whose accepted differences have expired',
      { contract: { evidenceKey, problems: 0, forbiddingDifferences: 0, validUntil: now } },
      'contract',
      'The contract run for this code relied on an accepted difference that expired on 2027-01-15, so it no longer counts as clean.',
    ],
    [
      'missing comparisons',
      { comparisons: null },
      'comparisons',
      'No comparisons of this code have been made yet.',
    ],
    [
      'comparisons of different code',
      { comparisons: { ...goodComparisons, evidenceKey: 'other' } },
      'comparisons',
      'No comparisons of this code have been made yet.',
    ],
    [
      'an instance with different code',
      { instances: { live: 5, onKey: 4 } },
      'instances',
      '4 of 5 running instances run this code.',
    ],
    ['missing instances', { instances: { live: 0, onKey: 0 } }, 'instances', 'No running instance is known.'],
    ['a missing handler', { evidenceKey: null }, 'instances', 'This build has no handler for the route.'],
  ])('blocks the step because of %s', (_, changes, id, sentence) => {
    const input = shadowed({}, changes)
    expect(evaluateGate(input).next).toMatchObject({ action: 'blocked', blockedBy: id, expectedMs: null })
    expect(findCheck(input, id)?.sentence).toBe(sentence)
  })

  it.each([
    ['code that was stopped', stateOf(list, { failedEvidenceKey: evidenceKey }), 'code-not-failed'],
    ['a hold by an operator', stateOf(list, { held: true }), 'not-held'],
    ['a kill', stateOf(list, { killed: true }), 'not-killed'],
  ] as const)('blocks the step because of %s', (_, state, id) => {
    expect(evaluateGate(createGateInput(state)).next).toMatchObject({ action: 'blocked', blockedBy: id })
  })

  it('estimates the time until the step from the slowest check', () => {
    const input = shadowed({ test: testAfter(661), accounts: accountsOf(10) })
    const { next, checks } = evaluateGate(input)
    const expected = checks.map(({ expectedMs }) => expectedMs ?? Number.NaN)
    expect(next.expectedMs).toBe(Math.max(...expected))
    expect(next.blockedBy).toBe('comparisons')
    expect(next.sentence).toContain('blocked by comparisons (and 1 other check).')
  })

  it('gives no estimate if one of the checks cannot be predicted', () => {
    const { next } = evaluateGate(shadowed({ test: testAfter(661), drops: 400 }))
    expect(next).toMatchObject({ blockedBy: 'comparisons', expectedMs: null })
    expect(next.sentence).toContain('No estimate yet.')
  })
})
