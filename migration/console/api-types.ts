import type { JSONParsed } from 'hono/utils/types'
import type { listAccountOverrides } from '#db/queries/routing/account-overrides.ts'
import type { readAccount } from '../api/accounts.ts'
import type { readAudit } from '../api/audit.ts'
import type { previewChange } from '../api/changes.ts'
import type { readEvidence } from '../api/evidence.ts'
import type { readHistory, readRouteHistory } from '../api/history.ts'
import type { readInstances, waitForAdoption } from '../api/instances.ts'
import type { readReport } from '../api/report.ts'
import type { readExplanation, readRouteList } from '../api/routes.ts'
import type { readCoreUsage } from '../api/usage.ts'
import type { RouteState } from '../model/route-state.ts'

/** What a function of the API returns, after a round trip through JSON, so times are text. */
type Received<F extends (...given: never[]) => unknown> = JSONParsed<Awaited<ReturnType<F>>>

export type RouteList = Received<typeof readRouteList>
export type ListedRoute = RouteList['routes'][number]
export type Explanation = Received<typeof readExplanation>
export type Evidence = Received<typeof readEvidence>
export type Mismatch = Evidence['mismatches'][number]
export type History = Received<typeof readHistory>
export type RouteHistory = Received<typeof readRouteHistory>
export type Preview = Received<typeof previewChange>
export type AuditEntry = Received<typeof readAudit>[number]
export type Account = Received<typeof readAccount>
export type CoreUsage = Received<typeof readCoreUsage>
export type Report = Received<typeof readReport>
export type Override = Received<typeof listAccountOverrides>[number]
export type Instances = { readonly epoch: number } & Received<typeof readInstances>

export interface Changed {
  readonly demoted?: readonly RouteState[]
  readonly warnings?: readonly string[]
  readonly epoch: number
  readonly adoption: Received<typeof waitForAdoption>
}
