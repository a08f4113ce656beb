import type { Hono } from 'hono'
import type { Database } from '#db/client/connection.ts'
import type { RouteScope } from '#migration/routing/route-scope.ts'
import type { Log } from '../observability/log.ts'
import type { PageBindings } from '../pages/page-app.ts'
import type { EvidenceKeys } from '../routing/change-route-state.ts'
import type { OperatorSetting } from '../settings/operators.ts'
import type { Operator } from './operators.ts'

export interface OperatorApiOptions {
  readonly operators: readonly OperatorSetting[]
  readonly database: Pick<Database, 'db' | 'reader'>
  readonly log: Log
  /** The key of each handler in this build. */
  readonly evidenceKeys: EvidenceKeys
  readonly hasCore: boolean
  /** The scopes in `GATEWAY_KILL`. */
  readonly configuredKills: readonly RouteScope[]
  readonly installationSalt: string
  /** How long the response to a change waits for the instances to adopt it. */
  readonly adoptionTimeoutMs?: number
}

export interface OperatorEnv {
  readonly Bindings: PageBindings
  readonly Variables: { readonly operator: Operator }
}

export type OperatorApp = Hono<OperatorEnv>
