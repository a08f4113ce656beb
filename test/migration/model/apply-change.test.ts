import { describe, expect, it } from 'vitest'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import type { RouteChange } from '#migration/model/apply-change.ts'
import { isShadowable, routeScopes } from '#migration/model/route-scope.ts'
import { fullWeightBp, initialStateOf } from '#migration/model/route-state.ts'
import { defaultStateOf } from '#migration/model/stored-state.ts'

import {
  apply,
  conditions,
  outcomeOf,
  ramp,
  read,
  rollback,
  type Stage,
  shadow,
  stateIn,
  write,
} from './transition-inputs.ts'

describe("a change to a read's stage", () => {
  const isThere = (stage: Stage) => `${read} is already in state ${stage}`
  const cannotGo = (from: Stage, to: Stage, next: string) =>
    `${read} cannot go from ${from} to ${to}: the next step is ${next}`
  const isRetired = `${read} is retired: ramp it to 100 % first`
  const nothing = `native does not serve ${read}, so there is nothing to roll back`
  const expected: readonly [
    Stage,
    Record<'shadow' | 'zero' | 'one' | 'quarter' | 'all' | 'rollback', string>,
  ][] = [
    [
      'proxy',
      {
        shadow: 'shadow',
        zero: isThere('proxy'),
        one: cannotGo('proxy', 'canary', 'shadow'),
        quarter: cannotGo('proxy', 'canary', 'shadow'),
        all: cannotGo('proxy', 'native', 'shadow'),
        rollback: nothing,
      },
    ],
    [
      'shadow',
      {
        shadow: isThere('shadow'),
        zero: 'proxy',
        one: 'canary 100',
        quarter: 'canary 2500',
        all: cannotGo('shadow', 'native', 'a ramp to less than 100 %'),
        rollback: nothing,
      },
    ],
    [
      'canary',
      {
        shadow: 'shadow',
        zero: 'proxy',
        one: 'canary 100',
        quarter: 'canary 2500',
        all: 'native',
        rollback: 'shadow',
      },
    ],
    [
      'native',
      {
        shadow: 'shadow',
        zero: 'proxy',
        one: 'canary 100',
        quarter: 'canary 2500',
        all: isThere('native'),
        rollback: 'shadow',
      },
    ],
    [
      'retired',
      {
        shadow: isRetired,
        zero: isRetired,
        one: isRetired,
        quarter: isRetired,
        all: 'native',
        rollback: `${read} is retired, so there is no core to roll it back to`,
      },
    ],
  ]

  for (const [stage, outcomes] of expected) {
    it(`leads from ${stage} only to the stages that may follow it`, () => {
      const before = stateIn(read, stage)
      expect({
        shadow: outcomeOf(before, shadow),
        zero: outcomeOf(before, ramp(0)),
        one: outcomeOf(before, ramp(100)),
        quarter: outcomeOf(before, ramp(2500)),
        all: outcomeOf(before, ramp(fullWeightBp)),
        rollback: outcomeOf(before, rollback),
      }).toEqual(outcomes)
    })
  }

  it('is illegal if the stage and the percentage stay the same', () => {
    expect(outcomeOf(stateIn(read, 'canary'), ramp(500))).toBe(`${read} is already in state canary at 5 %`)
  })
})

describe("a change to a write's stage", () => {
  it('goes from proxy to canary, because writes are never shadowed', () => {
    expect(outcomeOf(stateIn(write, 'proxy'), ramp(1))).toBe('canary 1')
    expect(outcomeOf(stateIn(write, 'canary'), ramp(fullWeightBp))).toBe('native')
    expect(outcomeOf(stateIn(write, 'proxy'), shadow)).toBe(
      `${write} cannot be shadowed, because it has effects: ramp it instead`,
    )
    expect(outcomeOf(stateIn(write, 'proxy'), ramp(fullWeightBp))).toBe(
      `${write} cannot go from proxy to native: the next step is a ramp to less than 100 %`,
    )
    for (const stage of ['canary', 'native'] as const)
      expect(outcomeOf(stateIn(write, stage), rollback)).toBe('proxy')
  })
})

describe('a change to the weight', () => {
  it('must set it to a value from 0 to 100 %, in whole basis points', () => {
    for (const weightBp of [-1, 0.5, 10_001, Number.NaN, Number.POSITIVE_INFINITY])
      expect(outcomeOf(stateIn(read, 'shadow'), ramp(weightBp))).toBe(
        'the percentage must be between 0 and 100, with at most two decimals',
      )
  })

  it('that raises it requires a handler in this build and in every live instance', () => {
    const unhandled = { ...conditions, evidenceKey: null }
    const partly = { ...conditions, instancesWithoutHandler: ['a', 'b'] }
    for (const [before, change] of [
      [stateIn(read, 'proxy'), shadow],
      [stateIn(read, 'shadow'), ramp(100)],
      [stateIn(read, 'canary'), ramp(2500)],
    ] as const) {
      expect(outcomeOf(before, change, unhandled)).toBe(
        `this instance cannot serve ${read} natively: npm run routes -- explain ${read} says why`,
      )
      expect(outcomeOf(before, change, partly)).toBe(
        `these running instances cannot serve ${read} natively: a, b`,
      )
    }
  })

  it('is rejected if it raises the weight before every instance has reported', () => {
    const given = { ...conditions, unknownInstances: [{ id: 'a', lastReportAgeS: 40 }] }
    const unknown =
      'these instances have not reported and may still be serving an older state: a (for 40 s); wait until they report, or forget those that have ended: npm run routes -- forget INSTANCE'
    expect(outcomeOf(stateIn(read, 'shadow'), ramp(100), given)).toBe(unknown)
    const resume: RouteChange = { kind: 'resume' }
    expect(outcomeOf(stateIn(read, 'canary', { killed: true }), resume, given)).toBe(unknown)
    expect(outcomeOf(stateIn(read, 'shadow', { killed: true }), resume, given)).toBe('shadow')
    const changedCode = stateIn(read, 'canary', { killed: true, evidenceKey: 'earlier' })
    expect(outcomeOf(changedCode, resume, given)).toBe('shadow')
    for (const scope of ['tracks.*', '*'] as const)
      expect(outcomeOf({ ...defaultStateOf(scope), killed: true }, resume, given)).toBe(unknown)
  })

  it('that lowers it requires neither handlers nor reports from all instances', () => {
    const given = {
      evidenceKey: null,
      instancesWithoutHandler: ['a'],
      liveEvidenceKeys: [],
      failedCode: [],
      unknownInstances: [{ id: 'b', lastReportAgeS: 40 }],
    }
    expect(outcomeOf(stateIn(read, 'canary'), ramp(100), given)).toBe('canary 100')
    expect(outcomeOf(stateIn(read, 'native'), shadow, given)).toBe('shadow')
    expect(outcomeOf(stateIn(read, 'native'), rollback, given)).toBe('shadow')
  })
})

describe('a rollback', () => {
  it('marks the code as failed', () => {
    expect(apply(stateIn(read, 'canary'), rollback)).toMatchObject({
      state: { stage: 'shadow', weightBp: 0, failedEvidenceKey: 'key' },
    })
  })

  it('that blames no code keeps the code that an earlier stop blamed', () => {
    const again = stateIn(read, 'canary', { failedEvidenceKey: 'key' })
    expect(apply(again, rollback, { ...conditions, evidenceKey: null })).toMatchObject({
      state: { stage: 'shadow', weightBp: 0, failedEvidenceKey: 'key' },
    })
  })

  it('does not move a route if it or its area is held', () => {
    expect(outcomeOf(stateIn(read, 'canary', { held: true }), rollback)).toBe(
      `${read} is held, so only a person can move ${read}`,
    )
    expect(outcomeOf(stateIn(read, 'canary'), rollback, { ...conditions, heldBy: 'tracks.*' })).toBe(
      `tracks.* is held, so only a person can move ${read}`,
    )
    expect(outcomeOf(stateIn(read, 'canary', { held: true }), ramp(100))).toBe('canary 100')
  })
})

describe('a hold, a kill or a change of mode', () => {
  it('changes only its own field, for a route, an area or all routes, and is illegal if it changes nothing', () => {
    for (const scope of [read, 'tracks.*', '*'] as const) {
      const before = defaultStateOf(scope)
      const held = { ...before, held: true }
      expect(apply(before, { kind: 'hold' })).toEqual({ kind: 'changed', state: { ...held, version: 1 } })
      expect(apply(held, { kind: 'release' })).toEqual({ kind: 'changed', state: { ...before, version: 1 } })
      expect(apply(held, { kind: 'hold' })).toMatchObject({ kind: 'illegal' })
      expect(apply(before, { kind: 'release' })).toMatchObject({ kind: 'illegal' })
      expect(apply(before, { kind: 'kill' })).toMatchObject({ state: { killed: true, version: 1 } })
      expect(apply(before, { kind: 'resume' })).toMatchObject({ kind: 'illegal' })
    }
  })

  it('can set the mode of a single route, but is illegal if the mode stays the same', () => {
    const before = defaultStateOf(read)
    expect(apply(before, { kind: 'mode', mode: 'auto' })).toMatchObject({ state: { mode: 'auto' } })
    expect(outcomeOf(before, { kind: 'mode', mode: 'observe' })).toBe(
      `the mode of ${read} is already observe`,
    )
  })
})

describe('a scope', () => {
  it('of several routes cannot be moved, and one that only native serves cannot be changed at all', () => {
    for (const change of [shadow, ramp(100), rollback, { kind: 'mode', mode: 'auto' }] as const)
      expect(outcomeOf(defaultStateOf('tracks.*'), change)).toBe(
        `${change.kind} takes one route, not tracks.*`,
      )
    for (const label of labels.filter((label) => !isTwoSided(label)))
      expect(outcomeOf(defaultStateOf(label), { kind: 'kill' })).toBe(
        `${label} is native-only: the core cannot serve it`,
      )
    expect(outcomeOf(defaultStateOf('webhooks.*'), { kind: 'kill' })).toContain('are native-only')
  })

  it('of one two-sided route can start in shadow, or in canary if the route has effects', () => {
    for (const label of labels.filter(isTwoSided)) {
      const before = { ...initialStateOf(label), stage: 'proxy', weightBp: 0 } as const
      const first = isShadowable(label) ? shadow : ramp(100)
      expect(outcomeOf(before, first), label).toBe(isShadowable(label) ? 'shadow' : 'canary 100')
    }
    expect(routeScopes).toContain('libraries.*')
  })
})
