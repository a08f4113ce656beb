import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { isTwoSided, labels, rowOf } from '#contracts/shared/row.ts'
import { emptyStoredRouting, type StoredRouting } from '#migration/control/routing-state.ts'
import { followComparedRoutes } from '#migration/live/compared-routes.ts'
import type { RouteScope } from '#migration/model/route-scope.ts'
import { initialStateOf, type RouteStage, type RouteState } from '#migration/model/route-state.ts'
import { defaultStateOf } from '#migration/model/stored-state.ts'

const weights = { proxy: 0, shadow: 0, canary: 100, native: 10_000, retired: 10_000 } as const
const inStage = (label: Label, stage: RouteStage): RouteState => ({
  ...initialStateOf(label),
  stage,
  weightBp: weights[stage],
})
const killed = (scope: RouteScope): RouteState => ({ ...defaultStateOf(scope), killed: true })

const settings = { CORE_BASE_URL: ['http://core.test'], GATEWAY_KILL: [], GATEWAY_ROUTES: [] }

const follow = (states: readonly RouteState[], changed: Partial<typeof settings> | object = {}) => {
  let stored: StoredRouting | null = { ...emptyStoredRouting, epoch: 1, states }
  const listeners: (() => void)[] = []
  const find = followComparedRoutes({
    settings: { ...settings, ...changed },
    evidenceKeys: new Map(labels.map((label) => [label, `key of ${label}`])),
    routing: {
      stored: () => stored,
      onChange(listener) {
        listeners.push(listener as () => void)
        return () => true
      },
    },
  })
  const adopt = (next: readonly RouteState[]) => {
    stored = { ...emptyStoredRouting, epoch: 2, states: next }
    for (const listener of listeners) listener()
  }
  return { find, adopt }
}

const listCompared = (label: Label, stage: RouteStage) => {
  const route = follow([inStage(label, stage)]).find(label)
  const { copiesToNative, asksCore, readsBack } = route ?? {}
  return Object.entries({ copiesToNative, asksCore, readsBack }).flatMap(([name, does]) =>
    does ? [name] : [],
  )
}

const twoSided = labels.filter(isTwoSided)
const isCopyable = (label: Label) =>
  rowOf(label).method === 'GET' && ['none', 'events'].includes(rowOf(label).effects)

describe('the comparisons of a route', () => {
  it.each(twoSided)('are off for %s until it is first moved', (label) => {
    expect(follow([]).find(label)).toBeNull()
    expect(listCompared(label, 'proxy')).toEqual([])
  })

  it.each(twoSided)(
    'send a copy of each request to native while %s is in shadow, if repeating it has no effects',
    (label) => {
      expect(listCompared(label, 'shadow')).toEqual(isCopyable(label) ? ['copiesToNative'] : [])
    },
  )

  it.each(twoSided)('also send the core requests that have no effects while %s is a canary', (label) => {
    const { method, effects } = rowOf(label)
    const expected = [
      ...(isCopyable(label) ? ['copiesToNative'] : []),
      ...(method === 'GET' && effects === 'none' ? ['asksCore'] : []),
      ...(method !== 'GET' && (effects === 'write' || effects === 'external') ? ['readsBack'] : []),
    ]
    expect(listCompared(label, 'canary')).toEqual(expected)
    expect(listCompared(label, 'native')).toEqual(expected.filter((name) => name !== 'copiesToNative'))
    expect(listCompared(label, 'retired')).toEqual([])
  })

  it("have the evidence key of this instance's code, and are off without a handler", () => {
    const { find } = follow([inStage('tracks.list', 'shadow')])
    expect(find('tracks.list')).toMatchObject({ label: 'tracks.list', evidenceKey: 'key of tracks.list' })
    const without = followComparedRoutes({
      settings,
      evidenceKeys: new Map(),
      routing: {
        stored: () => ({ ...emptyStoredRouting, epoch: 1, states: [inStage('tracks.list', 'shadow')] }),
        onChange: () => () => true,
      },
    })
    expect(without('tracks.list')).toBeNull()
  })

  it.each([
    ['the route is killed', [{ ...inStage('tracks.list', 'shadow'), killed: true }], {}],
    ['its area is killed', [inStage('tracks.list', 'shadow'), killed('tracks.*')], {}],
    ['all routes are killed', [inStage('tracks.list', 'shadow'), killed('*')], {}],
    ['the settings kill it', [inStage('tracks.list', 'shadow')], { GATEWAY_KILL: ['tracks.*'] }],
    [
      'the settings fix its state',
      [inStage('tracks.list', 'shadow')],
      { GATEWAY_ROUTES: [{ scope: 'tracks.list', stage: 'shadow', weightBp: 0 }] },
    ],
    ['there is no core', [inStage('tracks.list', 'shadow')], { CORE_BASE_URL: null }],
  ] as const)('are off if %s', (_, states, changed) => {
    expect(follow(states, changed).find('tracks.list')).toBeNull()
  })

  it('follow changes to the routing state', () => {
    const { find, adopt } = follow([inStage('tracks.list', 'shadow')])
    adopt([inStage('tracks.list', 'native')])
    expect(find('tracks.list')).toMatchObject({ copiesToNative: false, asksCore: true })
    adopt([])
    expect(find('tracks.list')).toBeNull()
  })
})
