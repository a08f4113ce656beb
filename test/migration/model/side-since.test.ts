import { describe, expect, it } from 'vitest'
import { bucketOf } from '#migration/model/bucket.ts'
import { explainRoute } from '#migration/model/explain-route.ts'
import { initialStateOf, type RouteState, routeStages, weightOfStage } from '#migration/model/route-state.ts'
import type { AccountOverride } from '#migration/model/routing-view.ts'
import { type AccountMove, findSideSince } from '#migration/model/side-since.ts'

const label = 'libraries.list'
const accountId = 'acct_1'
const installationSalt = 'salt'
const now = 10_000
const endsAt = 9000
const bucket = bucketOf(installationSalt, 'libraries', accountId)

const stateOf = (changes: Partial<RouteState>): RouteState => ({ ...initialStateOf(label), ...changes })
const states = [
  ...routeStages.flatMap((stage) => {
    const weightBp = weightOfStage(stage)
    return weightBp === null ? [] : [stateOf({ stage, weightBp })]
  }),
  ...[bucket, bucket + 1].map((weightBp) => stateOf({ stage: 'canary', weightBp })),
  ...[endsAt, now + 1].map((end) =>
    stateOf({ stage: 'retired', weightBp: 10_000, drillUntil: new Date(end).toISOString() }),
  ),
].flatMap((state) => [state, { ...state, killed: true }])

const override = (side: 'core' | 'native', until: number | null): AccountOverride => ({
  accountId,
  scope: 'libraries.*',
  side,
  until: until === null ? null : new Date(until),
})
const overrides = [
  null,
  ...[null, endsAt, now + 1].flatMap((end) => [override('core', end), override('native', end)]),
]

const instances = {
  'a gateway': {},
  'a gateway with a state in GATEWAY_ROUTES': {
    staticStates: [{ scope: 'libraries.*' as const, stage: 'canary' as const, weightBp: bucket + 1 }],
  },
  'a gateway with the route in GATEWAY_KILL': { kills: [label] as const },
  'a gateway without a handler for the route': { handled: new Set<typeof label>() },
  'a gateway without a core': { hasCore: false },
}

describe.each(Object.entries(instances))("the last change of an account's side on %s", (_name, instance) => {
  const decidedBy = {
    label,
    accountId,
    installationSalt,
    staticStates: [],
    kills: [],
    handled: new Set([label] as const),
    hasCore: true,
    ...instance,
  } as const

  const explainAt = (state: RouteState, stored: AccountOverride | null, at: number) =>
    explainRoute({
      ...decidedBy,
      states: new Map([[label, state]]),
      isKnown: true,
      unreadable: [],
      configuredKills: decidedBy.kills,
      hasHandler: (known) => decidedBy.handled.has(known as typeof label),
      findEvidenceKey: () => undefined,
      findMissingSettings: () => undefined,
      findStop: () => null,
      overrides: stored ? [stored] : [],
      failedCode: [],
      account: accountId,
      link: null,
      now: new Date(at),
    }).side

  /** Finds when the side last changed, by trying every time at which it could have changed. */
  const findExpected = (times: readonly number[], sideAt: (at: number) => string) =>
    [...new Set(times)]
      .filter((at) => at <= now)
      .toSorted((left, right) => right - left)
      .find((at) => sideAt(at - 1) !== sideAt(at)) ?? null

  const present = (state: RouteState, stored: AccountOverride | null) => ({
    states: [state],
    overrides: stored ? [stored] : [],
  })

  it('agrees with the displayed side after every change to the state', () => {
    for (const before of states)
      for (const after of states)
        for (const stored of overrides)
          for (const at of [8000, 9500]) {
            const moves: AccountMove[] = [{ kind: 'state', scope: label, at, before }]
            const sideAt = (time: number) => explainAt(time < at ? before : after, stored, time)
            expect(
              findSideSince(decidedBy, present(after, stored), moves, now),
              JSON.stringify({ before, after, stored, at }),
            ).toEqual({ side: sideAt(now), since: findExpected([at, endsAt], sideAt) })
          }
  })

  it('agrees with the displayed side after every change to an override', () => {
    for (const state of states)
      for (const before of overrides)
        for (const after of overrides)
          for (const at of [8000, 9500]) {
            const moves: AccountMove[] = [{ kind: 'override', scope: 'libraries.*', at, before }]
            const sideAt = (time: number) => explainAt(state, time < at ? before : after, time)
            expect(
              findSideSince(decidedBy, present(state, after), moves, now),
              JSON.stringify({ state, before, after, at }),
            ).toEqual({ side: sideAt(now), since: findExpected([at, endsAt], sideAt) })
          }
  })
})
