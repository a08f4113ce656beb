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

type Result<F extends (...given: never[]) => unknown> = Awaited<ReturnType<F>>

/** A result after a round trip through JSON, so times are text. */
type Received<T> = JSONParsed<T>

export type RouteList = Received<Result<typeof readRouteList>>
export type ListedRoute = RouteList['routes'][number]
export type Explanation = Received<Result<typeof readExplanation>>
export type Evidence = Received<Result<typeof readEvidence>>
export type Mismatch = Evidence['mismatches'][number]
export type History = Received<Result<typeof readHistory>>
export type RouteHistory = Received<Result<typeof readRouteHistory>>
export type Preview = Received<Result<typeof previewChange>>
export type AuditEntries = Received<{ entries: Result<typeof readAudit> }>
export type Account = Received<Result<typeof readAccount>>
export type CoreUsage = Received<Result<typeof readCoreUsage>>
export type Report = Received<Result<typeof readReport>>
export type Overrides = Received<{ overrides: Result<typeof listAccountOverrides> }>
export type Instances = Received<{ epoch: number } & Result<typeof readInstances>>
export type Changed = Received<{
  state?: RouteState
  demoted?: readonly RouteState[]
  warnings?: readonly string[]
  epoch: number
  adoption: Result<typeof waitForAdoption>
}>
