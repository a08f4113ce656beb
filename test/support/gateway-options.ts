import type { Label } from '#contracts/route-table.ts'
import type { TokenIssuer } from '#dev/sandbox/token-issuer.ts'
import type { MountMiddleware } from '#gateway/app/middleware.ts'
import type { BodyBudget } from '#gateway/edge/body-budget.ts'
import type { PageApp } from '#gateway/pages/page-app.ts'
import type { HandlersByLabel } from '#gateway/pipeline/run-route.ts'
import type { NativeGuard } from '#migration/control/guard.ts'
import type { ComparisonRates } from '#migration/live/start-comparisons.ts'
import type { GateLimits } from '#migration/model/gate/gate-input.ts'
import type { BodyProgressLimits } from '#proxy/body-progress.ts'
import type { TestDatabaseOptions } from './database.ts'

/** The gateway's platforms. Their responses differ only as described in the decision on the limits of Workers. */
export const platforms = ['node', 'workerd'] as const
export type Platform = (typeof platforms)[number]

export interface TestGatewayOptions {
  /**
   * `workerd`: the test's requests reach the Workers entry, which runs beside the Node gateway on the same database.
   */
  readonly platform?: Platform
  /** `sandbox`: the sandbox core on the same database; `recording`: a core that records requests and returns 200. */
  readonly core?: 'sandbox' | 'recording' | 'none'
  readonly handlers?: HandlersByLabel
  /** Rows with the runtime `proxy` whose handlers serve requests as if the rows were native, until the file ends. */
  readonly nativeLabels?: readonly Label[]
  /**
   * `fixed`: the route table and `nativeLabels` decide, nothing is stored, stopped or compared, and there are no
   * operator pages. `node`: production's control. The default is `node`, or `fixed` beside a Worker, which has its own
   * control.
   */
  readonly control?: 'fixed' | 'node'
  readonly nativeTimeoutMs?: number
  readonly guard?: NativeGuard
  readonly bodyBudget?: BodyBudget
  readonly bodyProgress?: BodyProgressLimits
  readonly mountMiddleware?: MountMiddleware
  readonly warmsUp?: boolean
  /** Replaces the page at `/`, on Node. */
  readonly homePage?: (issuer: TokenIssuer) => PageApp
  readonly gateLimits?: GateLimits
  readonly comparisonRates?: Partial<ComparisonRates>
  readonly comparisonWriteMs?: number
  /** The clock that decides when overrides and drills end and how old records are. */
  readonly now?: () => number
  /** A module with the handlers to compare, if they are not the native ones. */
  readonly comparedHandlers?: URL
  readonly database?: TestDatabaseOptions
  /** Connects the gateway to its database through a relay that can cut the connection. */
  readonly throughRelay?: boolean
  /**
   * Also reads the routing state through the relay, which otherwise carries only the statements that requests cause.
   */
  readonly routingThroughRelay?: boolean
  /** Starts an object store for this gateway; without one, the gateway can sign URLs but no store is reachable. */
  readonly storage?: boolean
  /** Starts a billing provider that delivers its events to this gateway. */
  readonly billing?: boolean
  /** Starts a model for catalogue analysis; without this, there is no model. */
  readonly model?: boolean
  /** Operators sign in to the console with the sandbox's issuer, which is on a different site from the console. */
  readonly singleSignOn?: boolean
  readonly environment?: Readonly<Record<string, string>>
}
