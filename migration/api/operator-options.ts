import type { Hono } from 'hono'
import type { Label } from '#contracts/route-table.ts'
import type { Database } from '#db/client/connection.ts'
import type { Log } from '#gateway/observability/log.ts'
import type { PageBindings } from '#gateway/pages/page-app.ts'
import type { OperatorSetting } from '#gateway/settings/operators.ts'
import type { Settings } from '#gateway/settings/settings.ts'
import type { NativeGuard } from '../control/guard.ts'
import type { RoutingState } from '../control/routing-state.ts'
import type { EvidenceKeys } from '../model/evidence-keys.ts'
import type { GateLimits } from '../model/gate/gate-input.ts'

export interface OperatorApiOptions {
  /** Returns the current operators. They change when the file that lists them does. */
  readonly listOperators: () => readonly OperatorSetting[]
  /** `reader` has its own connections, so reads never delay a change on `db`. */
  readonly database: Pick<Database, 'db' | 'reader'>
  readonly log: Log
  readonly settings: Pick<Settings, 'CORE_BASE_URL' | 'GATEWAY_KILL' | 'GATEWAY_ROUTES' | 'GATEWAY_SECRET'>
  readonly evidenceKeys: EvidenceKeys
  /** For each unavailable route, the settings that are missing. */
  readonly unavailable: ReadonlyMap<Label, string>
  readonly routing: Pick<RoutingState, 'current' | 'stored'>
  readonly guard: Pick<NativeGuard, 'isStopped' | 'isPaused'>
  /** What a step requires. Defaults to the production limits. */
  readonly gateLimits?: GateLimits | undefined
  /** Replaces the clocks of the database and this machine, in Unix milliseconds. */
  readonly now?: (() => number) | undefined
}

export type Operator = Pick<OperatorSetting, 'name' | 'role'>

export interface OperatorEnv {
  readonly Variables: { readonly operator: Operator }
}

export interface TokenEnv extends OperatorEnv {
  readonly Bindings: PageBindings
}

/** The environment of an in-process call for a signed-in operator. No client can set these bindings. */
export interface SessionEnv extends OperatorEnv {
  readonly Bindings: { readonly operator: Operator }
}

export type OperatorApp = Hono<OperatorEnv>
