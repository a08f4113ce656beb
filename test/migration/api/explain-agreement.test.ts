import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { isDecidedByLink, isTwoSided, labels } from '#contracts/shared/row.ts'
import type { RequestContext } from '#gateway/request/context.ts'
import { createDecisions, type Decision } from '#gateway/request/decide.ts'
import type { StaticState } from '#migration/model/build-routing-view.ts'
import { explainRoute } from '#migration/model/explain-route.ts'
import { labelsIn, type RouteScope, scopesOf } from '#migration/model/route-scope.ts'
import { fullWeightBp, type RouteState, routeStages, weightOfStage } from '#migration/model/route-state.ts'
import type { AccountOverride, RoutingView } from '#migration/model/routing-view.ts'
import { defaultStateOf } from '#migration/model/stored-state.ts'
import { buildTestView } from '#test/support/routing.ts'

const now = Date.now()
const subjects = ['acct_1', 'acct_2', 'acct_3']
const installationSalt = 'salt'

const stageAndWeight = fc
  .record({ stage: fc.constantFrom(...routeStages), canaryBp: fc.integer({ min: 1, max: fullWeightBp - 1 }) })
  .map(({ stage, canaryBp }) => ({ stage, weightBp: weightOfStage(stage) ?? canaryBp }))
// Drawn rarely, because one such setting in any of a route's three scopes overrides all others.
const rarely = fc.integer({ min: 0, max: 7 }).map((drawn) => drawn === 0)

const switches = fc.record({ killed: rarely, held: fc.boolean() })
const until = fc.constantFrom(null, new Date(now - 1), new Date(now), new Date(now + 3_600_000))
const accountOverride = fc.record({
  accountId: fc.constantFrom(...subjects),
  side: fc.constantFrom('core' as const, 'native' as const),
  until,
})

/** What is stored and configured for one scope. `chosen` is used only if the scope is a label. */
const settingOf = fc.record({
  chosen: stageAndWeight,
  switches: fc.option(switches),
  overrides: fc.uniqueArray(accountOverride, { maxLength: 2, selector: ({ accountId }) => accountId }),
  isFixedHere: rarely,
  fixed: stageAndWeight,
  isKilledHere: rarely,
})
type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never
type Setting = Drawn<typeof settingOf>

// Neighbouring routes get different settings, so one route's state cannot be mistaken for another's.
const drawnCase = fc.record({
  ofLabels: fc.array(settingOf, { minLength: 5, maxLength: 5 }),
  ofAreas: fc.array(settingOf, { minLength: 3, maxLength: 3 }),
  ofAll: settingOf,
  hasCore: fc.boolean(),
  isKnown: rarely.map((drawn) => !drawn),
})

const areas = [...new Set(labels.map((label) => scopesOf(label)[1] ?? '*'))]

const assignSettings = ({ ofLabels, ofAreas, ofAll }: Drawn<typeof drawnCase>) => {
  const settings = new Map<RouteScope, Setting>([['*', ofAll]])
  for (const [index, area] of areas.entries()) settings.set(area, ofAreas[index % 3] ?? ofAll)
  for (const [index, label] of labels.entries()) settings.set(label, ofLabels[index % 5] ?? ofAll)
  return settings
}

const collect = <T>(
  settings: ReadonlyMap<RouteScope, Setting>,
  itemsOf: (scope: RouteScope, setting: Setting) => readonly T[],
): readonly T[] => [...settings].flatMap(([scope, setting]) => itemsOf(scope, setting))

const sides = {
  forward: 'core',
  native: 'native',
  unavailable: 'unavailable',
  'not-implemented': 'none',
} as const

const decideFor = (label: Label, subject: string, routing: RoutingView, isPaused: boolean) => {
  const request = { params: { slug: subject } } as unknown as RequestContext
  const control = { current: () => routing, refreshed: () => undefined, mayTryNative: () => !isPaused }
  const actor = { accountId: subject, email: null, emailVerified: false }
  const token = { actor, isExpired: () => false }
  const { decide } = createDecisions(control, { hasCore: true, findToken: () => token })
  const decision = decide(label, request) as Decision
  return sides[decision.kind as keyof typeof sides]
}

it('explain says what the gateway decides, for every route, account and link', () => {
  fc.assert(
    fc.property(drawnCase, (drawn) => {
      const settings = assignSettings(drawn)
      const { hasCore } = drawn
      const states = collect(settings, (scope, { chosen, switches }): RouteState[] =>
        switches ? [{ ...defaultStateOf(scope), ...(scope.endsWith('*') ? {} : chosen), ...switches }] : [],
      )
      const overrides = collect(settings, (scope, { overrides }): AccountOverride[] =>
        overrides.map((override) => ({ ...override, scope })),
      )
      const staticStates = collect(settings, (scope, { isFixedHere, fixed }): StaticState[] =>
        isFixedHere && labelsIn(scope).some(isTwoSided) ? [{ scope, ...fixed }] : [],
      )
      const kills = collect(settings, (scope, { isKilledHere }) => (isKilledHere ? [scope] : []))
      const handled = new Set(labels.filter((_, index) => index % 4 > 0))
      const stopped = new Set(labels.filter((_, index) => index % 7 === 0))
      const routing = buildTestView({
        isKnown: drawn.isKnown,
        states,
        overrides,
        staticStates,
        kills,
        handled,
        hasCore,
        installationSalt,
        now,
      })
      const byScope = new Map(states.map((state) => [state.scope, state]))
      const explain = (label: Label, account: string | null, link: string | null) =>
        explainRoute({
          label,
          states: byScope,
          isKnown: drawn.isKnown,
          unreadable: [],
          configuredKills: kills,
          staticStates,
          hasCore,
          hasHandler: (known) => handled.has(known),
          findEvidenceKey: () => undefined,
          findMissingSettings: () => undefined,
          findStop: (known) => (stopped.has(known) ? 'paused' : null),
          overrides,
          failedCode: [],
          account,
          link,
          installationSalt,
          now: new Date(now),
        }).side

      for (const label of labels) {
        const decideSide = (subject: string) => decideFor(label, subject, routing, stopped.has(label))
        for (const subject of subjects) {
          const explained = isDecidedByLink(label)
            ? explain(label, null, subject)
            : explain(label, subject, null)
          expect([label, subject, explained]).toEqual([label, subject, decideSide(subject)])
        }
        const view = routing.views.get(label)
        const isShared = view?.side === 'split' && view.weightBp > 0 && view.weightBp < fullWeightBp
        const inGeneral = isShared && !stopped.has(label) ? 'split' : decideSide('acct_without_override')
        expect([label, explain(label, null, null)]).toEqual([label, inGeneral])
      }
    }),
    { numRuns: 60, seed: 42 },
  )
})
