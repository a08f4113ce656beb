import { describe, expect, it } from 'vitest'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import { initialStateOf, type RouteState, routeStages, weightOfStage } from '#migration/model/route-state.ts'
import {
  type AccountOverride,
  chooseForAccount,
  chooseForLink,
  type SplitView,
} from '#migration/model/routing-view.ts'
import { buildTestView, type TestRoutingInputs } from '#test/support/routing.ts'

const twoSided = labels.filter(isTwoSided)
const nativeOnly = labels.filter((label) => !isTwoSided(label))
const label = 'libraries.list'

const stateOf = (changes: Partial<RouteState>): RouteState => ({ ...initialStateOf(label), ...changes })
const viewOf = (inputs: TestRoutingInputs, of: (typeof labels)[number] = label) =>
  buildTestView(inputs).views.get(of)

const canary = (weightBp: number) => stateOf({ stage: 'canary', weightBp })
const requireSplit = (inputs: TestRoutingInputs): SplitView => {
  const view = viewOf(inputs)
  if (view?.side !== 'split') throw new Error(`expected a split view, got ${view?.side}`)
  return view
}
const override = (changes: Partial<AccountOverride>): AccountOverride => ({
  accountId: 'acct_1',
  scope: label,
  side: 'core',
  until: null,
  ...changes,
})

describe('a routing view', () => {
  it("uses the route table's runtime for a route without a stored state", () => {
    for (const each of labels)
      expect([each, viewOf({}, each)]).toEqual([
        each,
        initialStateOf(each).stage === 'proxy'
          ? { side: 'core', reason: 'static' }
          : { side: 'native', reason: 'static', mayFallBack: isTwoSided(each) },
      ])
  })

  it('forwards every two-sided route without a handler in this build, unless it is retired', () => {
    for (const each of twoSided)
      for (const stage of routeStages) {
        const states = [stateOf({ scope: each, stage, weightBp: weightOfStage(stage) ?? 5000 })]
        expect(viewOf({ states, handled: new Set() }, each)).toEqual({
          side: stage === 'retired' ? 'none' : 'core',
          reason: 'static',
        })
      }
  })

  it('never forwards a native-only route, whatever state is stored', () => {
    const states = [stateOf({ scope: '*', stage: null, killed: true })]
    for (const each of nativeOnly)
      expect(viewOf({ states, staticStates: [{ scope: '*', stage: 'proxy', weightBp: 0 }] }, each)).toEqual({
        side: 'native',
        reason: 'static',
        mayFallBack: false,
      })
  })

  it('does not fall back from a retired route', () => {
    const states = [stateOf({ stage: 'retired' })]
    expect(viewOf({ states, overrides: [override({})] })).toEqual({
      side: 'native',
      reason: 'static',
      mayFallBack: false,
    })
  })

  it('lets a route fall back again once its drill has ended, and says when the next drill ends', () => {
    const now = Date.parse('2026-01-02T03:00:00.000Z')
    const states = [stateOf({ stage: 'retired', drillUntil: '2026-01-02T04:00:00.000Z' })]
    const viewAt = (minutes: number) => {
      const view = buildTestView({ states, now: now + minutes * 60_000 })
      return { view: view.views.get(label), end: view.nextExpiryAt }
    }
    const native = { side: 'native', reason: 'static' }
    expect(viewAt(59)).toEqual({ view: { ...native, mayFallBack: false }, end: now + 60 * 60_000 })
    expect(viewAt(60)).toEqual({ view: { ...native, mayFallBack: true }, end: null })
  })

  it('without a core, serves natively every route that native serves to anyone', () => {
    expect(viewOf({ hasCore: false, states: [canary(1)] })).toEqual({
      side: 'native',
      reason: 'static',
      mayFallBack: false,
    })
    expect(viewOf({ hasCore: false, states: [stateOf({ stage: 'shadow', weightBp: 0 })] })).toEqual({
      side: 'none',
      reason: 'static',
    })
  })

  it('cannot be changed, because all requests of an epoch share it', () => {
    const view = buildTestView()
    for (const each of view.views.values()) expect(Object.isFrozen(each)).toBe(true)
  })

  it('forwards every two-sided route, but no native-only route, until the stored state is known', () => {
    const unknown = { isKnown: false, isStale: true }
    for (const each of twoSided) expect(viewOf(unknown, each)).toEqual({ side: 'core', reason: 'stale' })
    for (const each of nativeOnly) expect(viewOf(unknown, each)?.side).toBe('native')
  })

  it('forwards even routes that the settings make native, because an unread kill would override the settings', () => {
    const unknown = { isKnown: false, isStale: true, kills: ['libraries.detail'] } as const
    const staticStates = [{ scope: 'libraries.*', stage: 'native', weightBp: 10_000 }] as const
    expect(viewOf({ ...unknown, staticStates })).toEqual({ side: 'core', reason: 'stale' })
    expect(viewOf({ ...unknown, staticStates }, 'libraries.detail')).toEqual({
      side: 'core',
      reason: 'disabled',
    })
  })

  it("uses the route table's runtime without a core, until the stored state is known", () => {
    const unknown = { isKnown: false, isStale: true, hasCore: false }
    for (const each of labels)
      expect([each, viewOf(unknown, each)?.side]).toEqual([each, viewOf({ hasCore: false }, each)?.side])
  })

  it("reports a stale state, except for routes that this instance's settings kill", () => {
    expect(viewOf({ isStale: true })?.side).toBe('native')
    expect(viewOf({ isStale: true })).toMatchObject({ reason: 'stale' })
    expect(requireSplit({ isStale: true, states: [canary(1)] }).native.reason).toBe('stale')
    expect(viewOf({ isStale: true, kills: ['*'] })).toEqual({ side: 'core', reason: 'disabled' })
  })
})

describe('a kill', () => {
  const killedScopes = [label, 'libraries.*', '*'] as const

  it.each(killedScopes)(
    'of %s in the settings takes precedence over states, overrides and weights',
    (scope) => {
      const inputs = {
        kills: [scope],
        states: [canary(9999)],
        overrides: [override({ side: 'native' })],
        staticStates: [{ scope: label, stage: 'native', weightBp: 10_000 }],
      } as const
      expect(viewOf(inputs)).toEqual({ side: 'core', reason: 'disabled' })
    },
  )

  it.each(killedScopes)(
    'of %s in the stored state takes precedence over states, overrides and weights',
    (scope) => {
      const killed =
        scope === label
          ? [stateOf({ killed: true })]
          : [canary(1), stateOf({ scope, stage: null, killed: true })]
      const inputs = { states: killed, overrides: [override({ side: 'native' })] }
      expect(viewOf(inputs)).toEqual({ side: 'core', reason: 'disabled' })
    },
  )

  it('in the settings disables a native-only route, which the core cannot serve', () => {
    for (const each of nativeOnly)
      expect(viewOf({ kills: ['*'] }, each)).toEqual({ side: 'unavailable', reason: 'disabled' })
  })

  it('disables the route if there is no core', () => {
    expect(viewOf({ kills: [label], hasCore: false })).toEqual({ side: 'unavailable', reason: 'disabled' })
  })
})

describe('a state in the settings', () => {
  it('replaces the stored one, and a narrower scope takes precedence over a wider one', () => {
    const inputs = {
      states: [stateOf({ stage: 'native' })],
      staticStates: [
        { scope: '*', stage: 'native', weightBp: 10_000 },
        { scope: 'libraries.*', stage: 'proxy', weightBp: 0 },
      ],
    } as const
    expect(viewOf(inputs)).toEqual({ side: 'core', reason: 'static' })
    expect(viewOf(inputs, 'billing.status')?.side).toBe('native')
  })
})

describe("an account's override", () => {
  it('takes precedence over the bucket, in both directions', () => {
    const overrides = [override({ side: 'core' }), override({ accountId: 'acct_2', side: 'native' })]
    for (const weightBp of [1, 9999]) {
      const view = requireSplit({ states: [canary(weightBp)], overrides })
      expect(chooseForAccount(view, 'acct_1')).toEqual({ side: 'core', reason: 'targeting_match' })
      expect(chooseForAccount(view, 'acct_2')).toEqual({
        side: 'native',
        reason: 'targeting_match',
        mayFallBack: true,
      })
    }
  })

  it('does not change the side or the reason for other accounts', () => {
    const view = requireSplit({ overrides: [override({})] })
    for (const other of ['acct_2', null])
      expect(chooseForAccount(view, other)).toEqual({ side: 'native', reason: 'static', mayFallBack: true })
  })

  it('with a narrower scope replaces one with a wider scope', () => {
    const overrides = [override({ side: 'native' }), override({ scope: '*', side: 'core' })]
    expect(chooseForAccount(requireSplit({ overrides }), 'acct_1').side).toBe('native')
    expect(chooseForAccount(requireSplit({ overrides: overrides.toReversed() }), 'acct_1').side).toBe(
      'native',
    )
  })

  it('ends on time, and the view says when that is', () => {
    const overrides = [override({ until: new Date(1000) })]
    expect(buildTestView({ overrides, now: 999 }).nextExpiryAt).toBe(1000)
    expect(viewOf({ overrides, now: 999 })?.side).toBe('split')
    expect(buildTestView({ overrides, now: 1000 }).nextExpiryAt).toBeNull()
    expect(viewOf({ overrides, now: 1000 })?.side).toBe('native')
  })

  it('ends on time without affecting other accounts, and an override with a wider scope then applies', () => {
    const overrides = [
      override({ until: new Date(1000) }),
      override({ accountId: 'acct_2', until: new Date(1000) }),
      override({ accountId: 'acct_2', scope: 'libraries.*', until: new Date(2000) }),
    ]
    const view = requireSplit({ overrides })
    const sideAt = (accountId: string, now: number) => chooseForAccount(view, accountId, () => now).side
    expect([sideAt('acct_1', 999), sideAt('acct_1', 1000)]).toEqual(['core', 'native'])
    expect([sideAt('acct_2', 1000), sideAt('acct_2', 2000)]).toEqual(['core', 'native'])
  })

  it('is stored only once for all routes in its scope', () => {
    const { views } = buildTestView({ overrides: [override({ scope: '*' })] })
    const groups = twoSided.flatMap((each) => {
      const view = views.get(each)
      return view?.side === 'split' ? view.overrides : []
    })
    expect(groups.length).toBeGreaterThan(50)
    expect(new Set(groups).size).toBe(1)
  })
})

describe('a percentage of the subjects', () => {
  const subjects = Array.from({ length: 100_000 }, (_, index) => `acct_${index}`)
  const selected = (weightBp: number) => {
    const view = requireSplit({ states: [canary(weightBp)] })
    return new Set(subjects.filter((subject) => chooseForAccount(view, subject).side === 'native'))
  }

  it('is accurate to half a percentage point, and includes every smaller percentage', () => {
    let smaller = new Set<string>()
    for (const weightBp of [100, 500, 2500, 5000, 9900]) {
      const chosen = selected(weightBp)
      expect(Math.abs(chosen.size / subjects.length - weightBp / 10_000)).toBeLessThan(0.005)
      expect([...smaller].every((subject) => chosen.has(subject))).toBe(true)
      smaller = chosen
    }
  })

  it('includes no request without a subject', () => {
    const view = requireSplit({ states: [canary(9999)] })
    expect(chooseForAccount(view, null).side).toBe('core')
    expect(chooseForLink(view, null).side).toBe('core')
  })
})
