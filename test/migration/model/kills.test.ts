import { describe, expect, it } from 'vitest'
import { fullWeightBp, initialStateOf, type RouteState } from '#migration/model/route-state.ts'

import { apply, conditions, outcomeOf, ramp, read, shadow, stateIn, write } from './transition-inputs.ts'

describe('a kill', () => {
  it('keeps the stage and the weight, and rejects every move until the route is resumed', () => {
    const killed = apply(stateIn(read, 'canary'), { kind: 'kill' })
    expect(killed).toMatchObject({ state: { killed: true, stage: 'canary', weightBp: 500, version: 8 } })
    const before = stateIn(read, 'canary', { killed: true })
    for (const change of [shadow, ramp(0), ramp(100), ramp(fullWeightBp)])
      expect(outcomeOf(before, change)).toBe(`${read} is killed: resume it first`)
    expect(outcomeOf(before, { kind: 'kill' })).toBe(`${read} is already killed`)
    expect(outcomeOf(stateIn(read, 'canary'), { kind: 'resume' })).toBe(`${read} is not killed`)
  })

  const killAndResume = (before: RouteState, keyAtResume: string) => {
    const killed = apply(before, { kind: 'kill' })
    if (killed.kind === 'illegal') throw new Error(killed.reason)
    const given = { ...conditions, evidenceKey: keyAtResume, liveEvidenceKeys: [keyAtResume] }
    return outcomeOf(killed.state, { kind: 'resume' }, given)
  }

  it('leaves the route at its previous weight once it ends, if the code is the same, even if the route was never moved', () => {
    expect(killAndResume(stateIn(read, 'canary'), 'key')).toBe('canary 500')
    expect(killAndResume(initialStateOf('libraries.list'), 'key')).toBe('native')
    expect(killAndResume(stateIn(read, 'proxy'), 'other')).toBe('proxy')
  })

  it('keeps the key that the percentage was chosen for, whichever instance receives the kill', () => {
    const keyAfterKill = (before: RouteState, evidenceKey: string | null) =>
      apply(before, { kind: 'kill' }, { ...conditions, evidenceKey })
    expect(keyAfterKill(stateIn(read, 'canary'), 'other')).toMatchObject({ state: { evidenceKey: 'key' } })
    expect(keyAfterKill(stateIn(read, 'canary'), null)).toMatchObject({ state: { evidenceKey: 'key' } })
    expect(keyAfterKill(initialStateOf('libraries.list'), 'key')).toMatchObject({
      state: { evidenceKey: 'key' },
    })
  })

  it('ends without native traffic if any live instance runs different or failed code', () => {
    const killed = stateIn(read, 'canary', { killed: true, failedEvidenceKey: 'failed' })
    for (const [evidenceKey, ...liveEvidenceKeys] of [
      ['key', 'key', 'other'],
      ['key', 'failed'],
      ['other', 'key'],
    ] as const)
      expect(outcomeOf(killed, { kind: 'resume' }, { ...conditions, evidenceKey, liveEvidenceKeys })).toBe(
        'shadow',
      )
  })

  it('cannot end while an instance cannot serve the percentage that would be restored', () => {
    const killed = stateIn(read, 'canary', { killed: true })
    const resume = { kind: 'resume' } as const
    expect(outcomeOf(killed, resume, { ...conditions, instancesWithoutHandler: ['i1'] })).toBe(
      `these running instances cannot serve ${read} natively: i1`,
    )
    expect(outcomeOf(killed, resume, { ...conditions, evidenceKey: null })).toMatch(
      /^this instance cannot serve/,
    )
    const without = { ...conditions, instancesWithoutHandler: ['i1'] }
    expect(outcomeOf(stateIn(read, 'shadow', { killed: true }), resume, without)).toBe('shadow')
    expect(outcomeOf({ ...initialStateOf('libraries.list'), killed: true }, resume, without)).toBe('native')
  })

  it("restores the route table's runtime at its end if the route has never had a key", () => {
    const neverMoved = { ...initialStateOf('libraries.list'), killed: true }
    expect(outcomeOf(neverMoved, { kind: 'resume' })).toBe('native')
    expect(outcomeOf({ ...neverMoved, failedEvidenceKey: 'key' }, { kind: 'resume' })).toBe('shadow')
  })

  it('ends without native traffic if the code is different or has failed', () => {
    expect(killAndResume(stateIn(read, 'canary'), 'other')).toBe('shadow')
    expect(killAndResume(stateIn(write, 'native'), 'other')).toBe('proxy')
    expect(killAndResume(stateIn(read, 'native', { evidenceKey: 'earlier' }), 'key')).toBe('shadow')
    expect(killAndResume(stateIn(read, 'canary', { failedEvidenceKey: 'key' }), 'key')).toBe('shadow')
  })
})
