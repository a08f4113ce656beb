import { describe, expect, it } from 'vitest'
import { type RouteChange, resumeWithArea } from '#migration/model/apply-change.ts'
import {
  type CompletedDrill,
  evaluateRetirement,
  explainRetirement,
  type RetirementFacts,
} from '#migration/model/retirement.ts'
import type { RouteState } from '#migration/model/route-state.ts'
import { apply, conditions, outcomeOf, ramp, read, rollback, stateIn, write } from './transition-inputs.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
const now = Date.parse('2026-03-31T12:00:00.000Z')

const drill: CompletedDrill = {
  startedAt: now - 2 * hourMs,
  endedAt: now - hourMs,
  evidenceKey: 'key',
  nativeRequests: 1240,
  failures: 0,
}
const ready: RetirementFacts = {
  now,
  nativeSince: now - 14 * dayMs,
  recordedSince: now - 100 * dayMs,
  stops: 0,
  clientRequests: 0,
  lastClientRequestAt: now - 14 * dayMs,
  forwardedKeys: 0,
  forwardedKeysUntil: null,
  drill,
}
const retire: RouteChange = { kind: 'retire' }
const startDrill = (drillMinutes: number): RouteChange => ({ kind: 'retire', drillMinutes })
const given = (changes: Partial<RetirementFacts> = {}) => ({
  ...conditions,
  now: changes.now ?? now,
  retirement: { ...ready, ...changes },
})
const stateAfter = (before: RouteState, change: RouteChange, facts: Partial<RetirementFacts> = {}) => {
  const transition = apply(before, change, given(facts))
  if (transition.kind === 'illegal') throw new Error(transition.reason)
  return transition.state
}

describe('a retirement for good', () => {
  const isMissing: readonly [string, Partial<RetirementFacts>, string][] = [
    [
      'that has been native for less than 14 days',
      { nativeSince: now - 13 * dayMs },
      'Native has served all accounts for 13 d (since 2026-03-18T12:00Z); 14 days are needed',
    ],
    [
      'whose core usage has been recorded for less than 14 days',
      { nativeSince: null, recordedSince: now - 3 * dayMs },
      'Core usage has been recorded for 3 d (since 2026-03-28T12:00Z); 14 days are needed',
    ],
    ['whose core usage is not recorded', { recordedSince: null }, 'Core usage is not recorded yet'],
    ['stopped recently', { stops: 2 }, 'Native was stopped automatically in the last 14 days (2 stops)'],
    [
      'that the core has served recently',
      { clientRequests: 1, lastClientRequestAt: now - 13 * dayMs },
      'The core has served 1 client request in the last 15 days, most recently at 2026-03-18T12:00Z; retirement needs 14 days without any',
    ],
    [
      'whose retries with an idempotency key go to the core',
      { forwardedKeys: 1, forwardedKeysUntil: now + hourMs },
      'Retries with 1 idempotency key still go to the core, until 2026-03-31T13:00Z',
    ],
    ['without a drill', { drill: null }, 'No drill of 60 minutes or more was completed in the last 14 days'],
    [
      'after a short drill',
      { drill: { ...drill, startedAt: drill.endedAt - 59 * 60_000 } },
      'The drill from 2026-03-31T10:01Z to 2026-03-31T11:00Z was shorter than 60 minutes',
    ],
    [
      'after a drill that has just ended',
      { drill: { ...drill, startedAt: now - 61 * 60_000, endedAt: now - 29_000 } },
      'The drill from 2026-03-31T10:59Z to 2026-03-31T11:59Z has just ended, and its last requests are not counted yet',
    ],
    [
      'after a drill with failures',
      { drill: { ...drill, failures: 1 } },
      'The drill from 2026-03-31T10:00Z to 2026-03-31T11:00Z had failures: native served 1,240 requests, 1 with a 5xx status',
    ],
    [
      'after a drill of different code',
      { drill: { ...drill, evidenceKey: 'other' } },
      'The drill from 2026-03-31T10:00Z to 2026-03-31T11:00Z did not test the code that is running now',
    ],
  ]

  it.each(isMissing)('is rejected, with the figures, for a route %s', (_, facts, reason) => {
    expect(outcomeOf(stateIn(read, 'native'), retire, given(facts))).toBe(
      `${read} cannot be retired yet. ${reason}`,
    )
  })

  it('lists every condition that is not met, in the same sentences as the explanation', () => {
    const facts = { nativeSince: now, stops: 1, clientRequests: 7, lastClientRequestAt: now, drill: null }
    const reason = outcomeOf(stateIn(write, 'native'), retire, given(facts))
    expect(reason.match(/needs|needed|stopped|No drill/g)).toEqual(['needed', 'stopped', 'needs', 'No drill'])
    const explained = explainRetirement(
      write,
      evaluateRetirement(
        { ...ready, ...facts },
        { evidenceKey: 'key', liveEvidenceKeys: [], obstacle: null },
      ),
    )
    expect(`${write} cannot be retired yet. ${explained.slice(1).join(' ')}`).toBe(`${reason}.`)
  })

  it('is possible on the 14th day, and can be undone only by moving the route to native', () => {
    const retired = stateAfter(stateIn(read, 'native'), retire)
    expect(retired).toMatchObject({ stage: 'retired', weightBp: 10_000, drillUntil: null, version: 8 })
    expect(outcomeOf(retired, retire, given())).toBe(`${read} is already retired`)
    expect(outcomeOf(retired, rollback)).toBe(`${read} is retired, so there is no core to roll it back to`)
    expect(stateAfter(retired, ramp(10_000))).toMatchObject({ stage: 'native', drillUntil: null })
  })

  it.each(['proxy', 'shadow', 'canary'] as const)('is rejected in state %s', (stage) => {
    for (const change of [retire, startDrill(60)])
      expect(outcomeOf(stateIn(read, stage), change, given())).toBe(
        `${read} is in state ${stage}: ramp it to 100 % first`,
      )
  })

  it('is rejected for a killed route, and while an instance lacks a handler', () => {
    const killed = stateIn(read, 'native', { killed: true })
    expect(outcomeOf(killed, retire, given())).toBe(`${read} is killed: resume it first`)
    const without = { ...given(), instancesWithoutHandler: ['i-1'] }
    for (const change of [retire, startDrill(60)])
      expect(outcomeOf(stateIn(read, 'native'), change, without)).toContain('cannot serve')
  })

  it('is rejected while another instance runs code that the drill did not test', () => {
    const mixed = { ...given(), liveEvidenceKeys: ['key', 'other'] }
    expect(outcomeOf(stateIn(read, 'native'), retire, mixed)).toContain('did not test the code')
    expect(outcomeOf(stateIn(read, 'native'), startDrill(60), mixed)).toBe(
      `running instances have different code for ${read}: a drill needs the same code everywhere`,
    )
  })

  it('is over once the route or its area is resumed after a kill, because the core has served the route', () => {
    const retired = stateIn(read, 'retired', { killed: true })
    expect(stateAfter(retired, { kind: 'resume' })).toMatchObject({ stage: 'native', killed: false })
    const resumed = resumeWithArea({ ...retired, killed: false }, read, given())
    expect(resumed).toMatchObject({ kind: 'changed', state: { stage: 'native', weightBp: 10_000 } })
  })
})

describe('a drill', () => {
  const inDrill = stateIn(read, 'retired', { drillUntil: new Date(now).toISOString() })
  const endDrill: RouteChange = { kind: 'end-drill' }

  it('is rejected while retries with an idempotency key go to the core', () => {
    const facts = { forwardedKeys: 3, forwardedKeysUntil: now + hourMs }
    expect(outcomeOf(stateIn(write, 'native'), startDrill(60), given(facts))).toBe(
      `${write} cannot start a drill yet. Retries with 3 idempotency keys still go to the core, until 2026-03-31T13:00Z`,
    )
  })

  it('requires only that native serves everyone, and ends after the given number of minutes', () => {
    const facts = { nativeSince: now, recordedSince: null, stops: 3, clientRequests: 9, drill: null }
    expect(stateAfter(stateIn(read, 'native'), startDrill(90), facts)).toMatchObject({
      stage: 'retired',
      drillUntil: '2026-03-31T13:30:00.000Z',
      evidenceKey: 'key',
    })
  })

  it.each([0, -1, 1.5, 1441])('of %s minutes is rejected', (minutes) => {
    expect(outcomeOf(stateIn(read, 'native'), startDrill(minutes), given())).toBe(
      'a drill must last 1 to 1440 minutes',
    )
  })

  it('can be ended at any time by a person or a stop, but not by any other move', () => {
    expect(stateAfter(inDrill, ramp(10_000))).toMatchObject({ stage: 'native', drillUntil: null })
    expect(stateAfter(inDrill, rollback)).toMatchObject({ stage: 'shadow', drillUntil: null })
    for (const change of [{ kind: 'shadow' } as const, ramp(0), ramp(500)])
      expect(outcomeOf(inDrill, change, given())).toBe(`${read} is retired: ramp it to 100 % first`)
    for (const change of [retire, startDrill(60)])
      expect(outcomeOf(inDrill, change, given({ now: now - 1 }))).toContain(`${read} is in a drill until`)
  })

  it('counts as ended once its time is up, even before it is ended automatically', () => {
    expect(stateAfter(inDrill, startDrill(60))).toMatchObject({ stage: 'retired' })
    expect(stateAfter(inDrill, retire)).toMatchObject({ stage: 'retired', drillUntil: null })
  })

  it('is ended automatically when its time is up, even if the route is held or killed', () => {
    expect(outcomeOf(inDrill, endDrill, given({ now: now - 1 }))).toBe(`no drill of ${read} has ended`)
    for (const changes of [{}, { held: true }, { killed: true }])
      expect(stateAfter({ ...inDrill, ...changes }, endDrill)).toMatchObject({
        ...changes,
        stage: 'native',
        drillUntil: null,
      })
    const deployed = { ...given(), evidenceKey: 'other', liveEvidenceKeys: ['key', 'other'] }
    expect(apply(inDrill, endDrill, deployed)).toMatchObject({ state: { evidenceKey: 'other' } })
    expect(outcomeOf(stateIn(read, 'retired'), endDrill, given())).toBe(`no drill of ${read} has ended`)
  })
})
