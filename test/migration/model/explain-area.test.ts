import { describe, expect, it } from 'vitest'
import { labels } from '#contracts/shared/row.ts'
import { explainArea } from '#migration/model/explain-area.ts'
import { describeAdoption } from '#migration/model/format-state.ts'
import { areaOf, type RouteScope, routeScopes } from '#migration/model/route-scope.ts'
import { initialStateOf, type RouteState } from '#migration/model/route-state.ts'
import { defaultStateOf } from '#migration/model/stored-state.ts'

type Area = Parameters<typeof explainArea>[0]

const explain = (scope: RouteScope, states: readonly RouteState[] = [], changes: Partial<Area> = {}) =>
  explainArea({
    scope,
    states: new Map(states.map((state) => [state.scope, state])),
    unreadable: [],
    configuredKills: [],
    staticStates: [],
    ...changes,
  })

const billing = labels.filter((label) => areaOf(label) === 'billing')

describe('an instance', () => {
  const current = { epoch: 7, isKnown: true, isStale: false }

  it.each([
    ['nothing if it decides by the stored state', current, []],
    [
      'that it has read nothing',
      { epoch: 0, isKnown: false, isStale: true },
      [/has not read the stored state/],
    ],
    ['both epochs if it is behind', { ...current, epoch: 6 }, [/is at epoch 6; the newest is 7\.$/]],
    [
      'that its state is old',
      { ...current, isStale: true },
      [/has not been able to read the state for a while/],
    ],
  ])('says %s', (_, view, expected) => {
    expect(describeAdoption(view, 7)).toEqual(expected.map((sentence) => expect.stringMatching(sentence)))
  })
})

describe('the explanation of an area', () => {
  it('groups its routes by state', () => {
    const canary = { ...initialStateOf('billing.status'), stage: 'canary', weightBp: 50 } as const
    const others = billing.filter((label) => label !== 'billing.status').join(', ')
    expect(explain('billing.*', [canary])).toEqual([
      'billing.* is not killed (version 0).',
      'billing.* is not held.',
      'canary at 0.5 % (1 of 6): billing.status.',
      `native (5 of 6): ${others}.`,
    ])
    expect(explain('webhooks.*')[2]).toMatch(/^native-only \(3 of 3\): webhooks\.billing, /)
  })

  it('names the kills and holds of the area and of its routes', () => {
    const all = { ...defaultStateOf('*'), held: true, version: 2 }
    const area = { ...defaultStateOf('billing.*'), killed: true, version: 1 }
    const route = { ...initialStateOf('billing.status'), killed: true, held: true }
    expect(explain('billing.*', [all, area, route]).slice(0, 4)).toEqual([
      'billing.* is killed, so the core serves all two-sided routes in billing.*. Resume billing.* to undo this.',
      '* is held, so automation neither promotes nor rolls back any route in billing.*.',
      'Also killed: billing.status.',
      'Also held: billing.status.',
    ])
    expect(explain('*', [all, area, route]).slice(0, 4)).toEqual([
      '* is not killed (version 2).',
      '* is held, so automation neither promotes nor rolls back any route in *.',
      'Also killed: billing.*, billing.status.',
      'Also held: billing.status.',
    ])
    expect(explain('tracks.*', [area, route]).slice(0, 2)).toEqual([
      'tracks.* is not killed (version 0).',
      'tracks.* is not held.',
    ])
  })

  it("says what the instance's settings change, and which stored states cannot be read", () => {
    const sentences = explain('billing.*', [], {
      configuredKills: ['billing.status', 'tracks.*'],
      staticStates: [
        { scope: '*', stage: 'canary', weightBp: 100 },
        { scope: 'tracks.list', stage: 'native', weightBp: 10_000 },
      ],
      unreadable: ['billing.*', 'tracks.*'],
    })
    expect(sentences.slice(2, 5)).toEqual([
      'The stored state of billing.* cannot be read. Instances keep the last state they could read. Those that have never read one treat billing.* as killed.',
      'GATEWAY_KILL contains billing.status on this instance.',
      'GATEWAY_ROUTES sets * to canary at 1 % on this instance, so the stored state does not apply.',
    ])
  })

  it('mentions every route of the area, for each area', () => {
    for (const scope of routeScopes.filter((each) => each.endsWith('*')) as RouteScope[]) {
      const text = explain(scope).join(' ')
      const routes = labels.filter((label) => scope === '*' || `${areaOf(label)}.*` === scope)
      for (const label of routes) expect(text).toContain(label)
    }
  })
})
