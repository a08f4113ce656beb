import { isLabel } from '#contracts/shared/row.ts'
import type { Reader } from '#db/client/connection.ts'
import { countCoreOverrides } from '#db/queries/routing/account-overrides.ts'
import { findRouteState, listRouteStates } from '#db/queries/routing/route-states.ts'
import { listActiveAccounts } from '#db/queries/routing/route-usage.ts'
import type { RequestedChange } from '../control/change-route-state.ts'
import { type ChangePlan, planChange } from '../control/plan-change.ts'
import { AccountSample, estimateAccounts, mergeAccountSamples } from '../model/gate/account-sample.ts'
import {
  describePreview,
  estimateMovedAccounts,
  listMovedRoutes,
  type MovedRoute,
} from '../model/moved-routes.ts'
import { scopesOf } from '../model/route-scope.ts'
import type { RouteState } from '../model/route-state.ts'
import { parseRouteStates } from '../model/stored-state.ts'
import type { OperatorApiOptions } from './operator-options.ts'
import { readGateWarnings } from './read-gate.ts'

const readMovedAccounts = async (db: Reader, moved: readonly MovedRoute[]) => {
  if (moved.length === 0) return null
  const samples = await listActiveAccounts(
    db,
    moved.map(({ label }) => label),
  )
  const active = estimateAccounts(
    mergeAccountSamples(samples.map((sample) => AccountSample.safeParse(sample).data ?? [])),
  )
  // Only accounts of sampled requests are counted: without any, nothing is known.
  return active === 0 ? null : estimateMovedAccounts(moved, active)
}

const countPinned = (db: Reader, before: RouteState, { scope, stage }: RouteState) =>
  isLabel(scope) && stage === 'retired' && before.stage !== 'retired'
    ? countCoreOverrides(db, scopesOf(scope))
    : 0

type Planned = Extract<ChangePlan, { kind: 'planned' }>

const describePlan = async (db: Reader, { scope }: RequestedChange, plan: Planned) => {
  const { before, after, demoted } = plan
  const { valid } = parseRouteStates(await listRouteStates(db))
  const states = new Map(valid.map((state) => [state.scope, state]))
  const changed = [after, ...demoted.map((route) => route.after)]
  const later = new Map([...states, ...changed.map((state) => [state.scope, state] as const)])
  const moved = listMovedRoutes(scope, states, later)
  const accounts = await readMovedAccounts(db, moved)
  const routes = demoted.map((route) => route.after)
  return {
    before,
    state: after,
    demoted: routes,
    accounts,
    sentences: describePreview({
      scope,
      before,
      after,
      demoted: routes,
      moved,
      accounts,
      pinned: await countPinned(db, before, after),
    }),
  }
}

const rejectedPreview = (reason: string) => ({
  isLegal: false,
  reason,
  before: null,
  state: null,
  demoted: [],
  accounts: null,
  warnings: [],
  sentences: [`This change would be rejected: ${reason}.`],
})

/** What a change would lead to at this moment, by the rules of the change itself. Changes and locks nothing. */
export const previewChange = async (options: OperatorApiOptions, requested: RequestedChange) => {
  const { database, evidenceKeys, now } = options
  const { scope, change } = requested
  const preview = await database.db.transaction(
    async (tx) => {
      const plan = await planChange(tx, requested, evidenceKeys, (each) => findRouteState(tx, each), now)
      if (plan.kind === 'illegal') return rejectedPreview(plan.reason)
      if (plan.kind === 'stale')
        return rejectedPreview(`${scope} has version ${plan.state.version}: another change came first`)
      const { warnings } = plan
      return { isLegal: true, reason: null, ...(await describePlan(tx, requested, plan)), warnings }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
  const gateWarnings = preview.isLegal ? await readGateWarnings(options, requested) : []
  return { scope, change, ...preview, warnings: [...preview.warnings, ...gateWarnings] }
}
