import { describe, expect, it } from 'vitest'
import { labels } from '#contracts/shared/row.ts'
import { isShadowable, isTwoSided, routeScopes } from '#migration/routing/route-scope.ts'
import {
  fullWeightBp,
  initialStateOf,
  type RouteState,
  type routeStages,
  weightOfStage,
} from '#migration/routing/route-state.ts'
import { defaultStateOf } from '#migration/routing/stored-state.ts'
import { applyChange, type RouteChange, type TransitionConditions } from '#migration/routing/transitions.ts'

const read = 'tracks.list'
const write = 'tracks.create'
const conditions: TransitionConditions = { evidenceKey: 'key', instancesWithoutHandler: [] }

type Stage = (typeof routeStages)[number]

const stateIn = (
  label: typeof read | typeof write,
  stage: Stage,
  changes: Partial<RouteState> = {},
): RouteState => ({
  ...initialStateOf(label),
  stage,
  weightBp: weightOfStage(stage) ?? 500,
  evidenceKey: 'key',
  version: 7,
  ...changes,
})

const apply = (before: RouteState, change: RouteChange, given = conditions) =>
  applyChange(before, change, given)

const outcomeOf = (before: RouteState, change: RouteChange, given = conditions) => {
  const transition = apply(before, change, given)
  if (transition.kind === 'illegal') return transition.reason
  const { stage, weightBp } = transition.state
  return stage === 'canary' ? `${stage} ${weightBp}` : String(stage)
}

const shadow: RouteChange = { kind: 'shadow' }
const ramp = (weightBp: number): RouteChange => ({ kind: 'ramp', weightBp })
const rollback: RouteChange = { kind: 'rollback' }

describe('a change of the stage of a read', () => {
  const isThere = (stage: Stage) => `${read} is there already: ${stage}`
  const cannotGo = (from: Stage, to: Stage, next: string) =>
    `${read} cannot go from ${from} to ${to}: the next step is ${next}`
  const isRetired = `${read} is retired: ramp it to 100 % first`
  const nothing = `native does not serve ${read}: there is nothing to roll back`
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
        all: cannotGo('shadow', 'native', 'ramp to less than 100 %'),
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
        rollback: 'shadow',
      },
    ],
  ]

  for (const [stage, outcomes] of expected) {
    it(`leads from ${stage} only to the stages that may follow`, () => {
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

  it('to the weight that it has is illegal', () => {
    expect(outcomeOf(stateIn(read, 'canary'), ramp(500))).toBe(`${read} is there already: canary`)
  })
})

describe('a change of the stage of a write', () => {
  it('goes from proxy to canary, because it is never shadowed', () => {
    expect(outcomeOf(stateIn(write, 'proxy'), ramp(1))).toBe('canary 1')
    expect(outcomeOf(stateIn(write, 'canary'), ramp(fullWeightBp))).toBe('native')
    expect(outcomeOf(stateIn(write, 'proxy'), shadow)).toBe(
      `${write} cannot be shadowed, because it has effects: ramp it instead`,
    )
    expect(outcomeOf(stateIn(write, 'proxy'), ramp(fullWeightBp))).toBe(
      `${write} cannot go from proxy to native: the next step is ramp to less than 100 %`,
    )
    for (const stage of ['canary', 'native', 'retired'] as const)
      expect(outcomeOf(stateIn(write, stage), rollback)).toBe('proxy')
  })
})

describe('a change of the weight', () => {
  it('must be 0 to 100 % in whole basis points', () => {
    for (const weightBp of [-1, 0.5, 10_001, Number.NaN, Number.POSITIVE_INFINITY])
      expect(outcomeOf(stateIn(read, 'shadow'), ramp(weightBp))).toBe(
        'the weight must be between 0 and 100 % in steps of 0.01 %',
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
      expect(outcomeOf(before, change, unhandled)).toBe(`this build has no handler for ${read}`)
      expect(outcomeOf(before, change, partly)).toBe(`these live instances have no handler for ${read}: a, b`)
    }
  })

  it('that lowers it requires none', () => {
    const given = { evidenceKey: null, instancesWithoutHandler: ['a'] }
    expect(outcomeOf(stateIn(read, 'canary'), ramp(100), given)).toBe('canary 100')
    expect(outcomeOf(stateIn(read, 'native'), shadow, given)).toBe('shadow')
    expect(outcomeOf(stateIn(read, 'native'), rollback, given)).toBe('shadow')
  })
})

describe('a kill', () => {
  it('keeps stage and weight, and rejects every move until the route is resumed', () => {
    const killed = apply(stateIn(read, 'canary'), { kind: 'kill' })
    expect(killed).toMatchObject({ state: { killed: true, stage: 'canary', weightBp: 500, version: 8 } })
    const before = stateIn(read, 'canary', { killed: true })
    for (const change of [shadow, ramp(0), ramp(100), ramp(fullWeightBp)])
      expect(outcomeOf(before, change)).toBe(`${read} is killed: resume it first`)
    expect(outcomeOf(before, { kind: 'kill' })).toBe(`${read} is killed already`)
    expect(outcomeOf(stateIn(read, 'canary'), { kind: 'resume' })).toBe(`${read} is not killed`)
  })

  const killAndResume = (before: RouteState, keyAtResume: string | null) => {
    const killed = apply(before, { kind: 'kill' })
    if (killed.kind === 'illegal') throw new Error(killed.reason)
    return outcomeOf(killed.state, { kind: 'resume' }, { ...conditions, evidenceKey: keyAtResume })
  }

  it('is undone with the former weight if the code is the same, also for a route that was never moved', () => {
    expect(killAndResume(stateIn(read, 'canary'), 'key')).toBe('canary 500')
    expect(killAndResume(stateIn(read, 'native', { evidenceKey: 'earlier' }), 'key')).toBe('native')
    expect(killAndResume(initialStateOf('libraries.list'), 'key')).toBe('native')
    expect(killAndResume(stateIn(read, 'proxy'), 'other')).toBe('proxy')
  })

  it('is undone without traffic for native if the code is another or has failed', () => {
    expect(killAndResume(stateIn(read, 'canary'), 'other')).toBe('shadow')
    expect(killAndResume(stateIn(write, 'native'), 'other')).toBe('proxy')
    expect(killAndResume(stateIn(read, 'canary'), null)).toBe('shadow')
    expect(killAndResume(stateIn(read, 'canary', { failedEvidenceKey: 'key' }), 'key')).toBe('shadow')
  })
})

describe('a rollback', () => {
  it('marks the code as failed', () => {
    expect(apply(stateIn(read, 'canary'), rollback)).toMatchObject({
      state: { stage: 'shadow', weightBp: 0, failedEvidenceKey: 'key' },
    })
  })

  it('does not move a route that is held, itself or by its area', () => {
    expect(outcomeOf(stateIn(read, 'canary', { held: true }), rollback)).toBe(
      `${read} is held: only a person can move ${read}`,
    )
    expect(outcomeOf(stateIn(read, 'canary'), rollback, { ...conditions, heldBy: 'tracks.*' })).toBe(
      `tracks.* is held: only a person can move ${read}`,
    )
    expect(outcomeOf(stateIn(read, 'canary', { held: true }), ramp(100))).toBe('canary 100')
  })
})

describe('a switch', () => {
  it('changes only what it is about, once, on routes, areas and all routes', () => {
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

  it('of the mode applies to one route', () => {
    const before = defaultStateOf(read)
    expect(apply(before, { kind: 'mode', mode: 'auto' })).toMatchObject({ state: { mode: 'auto' } })
    expect(outcomeOf(before, { kind: 'mode', mode: 'observe' })).toBe(
      `the mode of ${read} is observe already`,
    )
  })
})

describe('every scope', () => {
  it('rejects a move of several routes, and any change of routes that the core cannot serve', () => {
    for (const change of [shadow, ramp(100), rollback, { kind: 'mode', mode: 'auto' }] as const)
      expect(outcomeOf(defaultStateOf('tracks.*'), change)).toBe(
        `${change.kind} requires one route, not tracks.*`,
      )
    for (const label of labels.filter((label) => !isTwoSided(label)))
      expect(outcomeOf(defaultStateOf(label), { kind: 'kill' })).toBe(
        `${label} is native-only: the core cannot serve it`,
      )
    expect(outcomeOf(defaultStateOf('webhooks.*'), { kind: 'kill' })).toContain('are native-only')
  })

  it('has a two-sided route that can start in the stage for its effects', () => {
    for (const label of labels.filter(isTwoSided)) {
      const before = { ...initialStateOf(label), stage: 'proxy', weightBp: 0 } as const
      const first = isShadowable(label) ? shadow : ramp(100)
      expect(outcomeOf(before, first), label).toBe(isShadowable(label) ? 'shadow' : 'canary 100')
    }
    expect(routeScopes).toContain('libraries.*')
  })
})
