import type { TransactionSql } from 'postgres'
import { isLabel } from '#contracts/shared/row.ts'
import { buildRoutingView, type RoutingInputs } from '#migration/model/build-routing-view.ts'
import { type AccountOverride, groupOverrides } from '#migration/model/routing-view.ts'
import { handlers } from '#native-routes/index.ts'
import type { TestGateway } from './gateway.ts'

/** The routing inputs that a test provides. The overrides are a list, not grouped by scope. */
export type TestRoutingInputs = Partial<Omit<RoutingInputs, 'overrides'>> & {
  readonly overrides?: readonly AccountOverride[]
}

/** The view for a build with all handlers and a core, and with no stored state. */
export const buildTestView = ({ overrides = [], ...inputs }: TestRoutingInputs = {}) =>
  buildRoutingView({
    epoch: 1,
    isKnown: true,
    isStale: false,
    states: [],
    overrides: groupOverrides(overrides),
    staticStates: [],
    kills: [],
    handled: new Set(Object.keys(handlers).filter(isLabel)),
    hasCore: true,
    installationSalt: 'salt',
    now: 0,
    ...inputs,
  })

interface StoredChange {
  readonly scope: string
  readonly state?: string | null
  readonly weightBp?: number
  readonly killed?: boolean
  readonly held?: boolean
}

/** Stores a state as a routing change does, but without the checks. Returns the new epoch. */
export const storeRouteState = async (
  { sql }: TestGateway['database'],
  { scope, state = null, weightBp = 0, killed = false, held = false }: StoredChange,
): Promise<number> =>
  sql.begin(async (tx) => {
    await tx`
      insert into route_state (scope, state, weight_bp, killed, held, mode, version)
      values (${scope}, ${state}, ${weightBp}, ${killed}, ${held}, 'observe', 1)
      on conflict (scope) do update set state = excluded.state, weight_bp = excluded.weight_bp,
        killed = excluded.killed, held = excluded.held, version = route_state.version + 1`
    return incrementEpoch(tx)
  })

/** Stores an override as an operator's change does. Returns the new epoch. */
export const storeOverride = async (
  { sql }: TestGateway['database'],
  { accountId, scope, side }: { readonly accountId: string; readonly scope: string; readonly side: string },
): Promise<number> =>
  sql.begin(async (tx) => {
    await tx`
      insert into account_override (account_id, scope, side, reason, who)
      values (${accountId}, ${scope}, ${side}, 'test', 'tester')`
    return incrementEpoch(tx)
  })

const incrementEpoch = async (tx: TransactionSql): Promise<number> => {
  const [row] = await tx`update routing_epoch set epoch = epoch + 1 returning epoch`
  await tx`select pg_notify('crossfade_routing', ${String(row?.epoch)})`
  return Number(row?.epoch)
}

/** Stores what a gateway stores after its database was restored from an older backup. Returns the new epoch. */
export const storeRestore = async ({ sql }: TestGateway['database']): Promise<number> =>
  sql.begin(async (tx) => {
    await tx`
      insert into route_state (scope, weight_bp, killed, held, mode, version) values ('*', 0, false, true, 'observe', 1)
      on conflict (scope) do update set held = true, version = route_state.version + 1`
    const epoch = await incrementEpoch(tx)
    await tx`
      insert into route_audit (id, who, scope, action, before, after, reason, epoch)
      values (gen_random_uuid(), 'auto', '*', 'restore', '{"held": false, "knownEpoch": 1}', null, 'a test', ${epoch})`
    return epoch
  })
