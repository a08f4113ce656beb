import { describe, expect, it } from 'vitest'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import { initialStateOf, type RouteState } from '#migration/model/route-state.ts'
import {
  type DescribedRoute,
  diffRoutingFile,
  type PresentSituation,
  type RoutingFile,
  writeRoutingFile,
} from '#migration/model/routing-file.ts'
import type { AccountOverride } from '#migration/model/routing-view.ts'
import { defaultStateOf } from '#migration/model/stored-state.ts'

const now = Date.parse('2026-12-01T12:00:00Z')

const present = (
  states: readonly (Partial<RouteState> & Pick<RouteState, 'scope'>)[] = [],
  more: Partial<PresentSituation> = {},
): PresentSituation => ({
  epoch: 7,
  states: new Map(states.map((state) => [state.scope, { ...defaultStateOf(state.scope), ...state }])),
  unreadable: [],
  overrides: [],
  configuredKills: [],
  isStopped: () => false,
  changesSince: { states: new Map(), overrides: new Map() },
  now,
  ...more,
})

const route = (described: Partial<DescribedRoute> & Pick<DescribedRoute, 'label'>): DescribedRoute => ({
  target: null,
  mode: null,
  version: 0,
  ...described,
})
const diff = (routes: readonly DescribedRoute[], situation = present()) =>
  diffRoutingFile({ epoch: 7, routes, overrides: [] }, situation)
const override = (
  accountId: string,
  side: 'core' | 'native',
  until: string | null = null,
): AccountOverride => ({
  accountId,
  scope: 'tracks.*',
  side,
  until: until === null ? null : new Date(until),
})
const canary = { stage: 'canary', weightBp: 500 } as const

describe('a routing file', () => {
  it('names every route that both sides can serve, and shows a drill as the state it returns to', () => {
    const drill = { stage: 'retired', weightBp: 10_000, drillUntil: '2026-12-01T13:00:00.000Z' } as const
    const { routes } = writeRoutingFile(
      present([
        { scope: 'libraries.list', ...drill, version: 3 },
        { scope: 'tracks.list', ...canary },
      ]),
    )
    expect(Object.keys(routes)).toEqual(labels.filter(isTwoSided))
    expect(routes['libraries.list']).toEqual({ stage: 'native', mode: 'observe', version: 3 })
    expect(routes['tracks.list']).toEqual({ stage: 'canary', weight: 5, mode: 'observe', version: 0 })
  })

  it('leads to the changes that an operator would make to reach each stage, ordered by scope', () => {
    const { changes } = diff([
      route({ label: 'tracks.list', target: { stage: 'shadow', weightBp: 0 }, mode: 'auto' }),
      route({ label: 'tracks.create', target: canary }),
      route({ label: 'libraries.list', target: { stage: 'proxy', weightBp: 0 } }),
      route({ label: 'libraries.create', target: { stage: 'retired', weightBp: 10_000 } }),
      route({ label: 'libraries.detail', target: { stage: 'native', weightBp: 10_000 }, mode: 'observe' }),
    ])
    expect(changes).toEqual([
      { kind: 'state', scope: 'libraries.create', change: { kind: 'retire' }, version: 0 },
      { kind: 'state', scope: 'libraries.list', change: { kind: 'ramp', weightBp: 0 }, version: 0 },
      { kind: 'state', scope: 'tracks.create', change: { kind: 'ramp', weightBp: 500 }, version: 0 },
      { kind: 'state', scope: 'tracks.list', change: { kind: 'shadow' }, version: 0 },
      { kind: 'state', scope: 'tracks.list', change: { kind: 'mode', mode: 'auto' }, version: 1 },
    ])
  })

  it("leaves a drill alone, because the route will return to the file's state by itself", () => {
    const drill = {
      scope: 'libraries.list',
      stage: 'retired',
      drillUntil: '2026-12-01T13:00:00.000Z',
    } as const
    const native = route({ label: 'libraries.list', target: { stage: 'native', weightBp: 10_000 } })
    expect(diff([native], present([{ ...initialStateOf('libraries.list'), ...drill }]))).toEqual({
      changes: [],
      kept: [],
      refused: [],
      drifted: [],
    })
  })

  it.each([
    [[{ scope: '*', killed: true }], {}, '* is killed'],
    [[{ scope: 'tracks.*', held: true }], {}, 'tracks.* is held'],
    [[], { configuredKills: ['tracks.*'] as const }, 'GATEWAY_KILL'],
    [[], { isStopped: () => true }, 'was stopped automatically'],
  ] as const)('moves no route towards native (reason: $2)', (states, more, why) => {
    const situation = present([...states, { scope: 'tracks.list', stage: 'canary', weightBp: 100 }], more)
    const up = route({ label: 'tracks.list', target: canary, mode: 'auto' })
    const { kept, changes } = diff([up], situation)
    expect(kept).toEqual([{ scope: 'tracks.list', sentence: expect.stringContaining(why) }])
    expect(kept[0]!.sentence).toMatch(/^tracks\.list stays canary at 1 %: /)
    expect(changes).toMatchObject([{ change: { kind: 'mode' } }])
    // A step towards the core is always allowed.
    const down = route({ label: 'tracks.list', target: { stage: 'canary', weightBp: 50 } })
    expect(diff([down], situation)).toMatchObject({ kept: [], changes: [{ change: { weightBp: 50 } }] })
  })

  it('moves no account to native if native is stopped, but can move every account to the core', () => {
    const file: RoutingFile = {
      epoch: 7,
      routes: [],
      overrides: [
        {
          scope: 'tracks.*',
          byAccount: new Map([
            ['new_native', { side: 'native', until: null }],
            ['new_core', { side: 'core', until: null }],
            ['same', { side: 'core', until: '2026-12-02T00:00:00.000Z' }],
            ['ended', { side: 'native', until: '2026-12-01T11:00:00.000Z' }],
          ]),
        },
      ],
    }
    const overrides = [
      override('same', 'core', '2026-12-02T00:00:00Z'),
      override('old_native', 'native'),
      override('old_core', 'core'),
    ]
    const namesOf = (situation: PresentSituation) => {
      const { changes, kept } = diffRoutingFile(file, situation)
      return {
        changes: changes.map((change) =>
          change.kind === 'state' ? '' : `${change.kind} ${change.accountId}`,
        ),
        kept: kept.map(({ sentence }) => /override for (\w+)/.exec(sentence)?.[1]),
      }
    }
    expect(namesOf(present([], { overrides }))).toEqual({
      changes: [
        'override new_native',
        'override new_core',
        'remove-override old_native',
        'remove-override old_core',
      ],
      kept: ['ended'],
    })
    const killed = present([{ scope: 'tracks.list', killed: true }], { overrides })
    expect(namesOf(killed)).toEqual({
      changes: ['override new_core', 'remove-override old_native'],
      kept: ['ended', 'new_native', 'old_core'],
    })
  })

  it('refuses to change a state that has a different version or cannot be read', () => {
    const up = route({ label: 'tracks.list', target: canary, version: 2 })
    const changed = diff([up], present([{ scope: 'tracks.list', version: 3 }]))
    expect(changed).toMatchObject({ changes: [], drifted: [] })
    expect(changed.refused[0]!.sentence).toBe(
      'tracks.list has changed since the export: proxy, version 3. Export the file again, then make your change.',
    )
    expect(diff([up], present([], { unreadable: ['tracks.list'] })).refused).toHaveLength(1)
  })
})
