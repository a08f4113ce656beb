import * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { isDecidedByLink, isLabel } from '#contracts/shared/row.ts'
import type { Reader } from '#db/client/connection.ts'
import { countCoreOverrides } from '#db/queries/routing/account-overrides.ts'
import { findRouteState } from '#db/queries/routing/route-states.ts'
import { listActiveAccounts } from '#db/queries/routing/route-usage.ts'
import { formatCommand } from '#shared/format-command.ts'
import { type ChangeOutcome, changeRouteState, type RequestedChange } from '../control/change-route-state.ts'
import { readSnapshot } from '../control/open-routing-database.ts'
import { type ChangePlan, planChange } from '../control/plan-change.ts'
import { acceptRestore } from '../control/restored-database.ts'
import { AccountSample, estimateAccounts, mergeAccountSamples } from '../model/gate/account-sample.ts'
import {
  describePreview,
  estimateMovedAccounts,
  listMovedRoutes,
  type MovedRoute,
} from '../model/moved-routes.ts'
import { maxDrillMinutes } from '../model/retirement.ts'
import { areaOf, labelsIn, scopesOf } from '../model/route-scope.ts'
import { fullWeightBp, promotionModes, type RouteState } from '../model/route-state.ts'
import { readStates } from './describe-instance.ts'
import { respondAdopted } from './instances.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { readGateWarnings } from './read-gate.ts'
import { maxInt32, Reason, ScopeParams, sendJson, validate } from './requests.ts'

const Change = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['shadow', 'hold', 'release', 'kill', 'resume']) }),
  z.strictObject({ kind: z.literal('ramp'), weightBp: z.int().min(0).max(fullWeightBp) }),
  z.strictObject({ kind: z.literal('mode'), mode: z.enum(promotionModes) }),
  z.strictObject({
    kind: z.literal('retire'),
    /** If absent, the route is retired for good. */
    drillMinutes: z.int().min(1).max(maxDrillMinutes).optional(),
  }),
])

const ChangeRequest = z.strictObject({
  change: Change,
  reason: Reason,
  /** The version the operator saw. Without it, the change applies to any version. */
  version: z.int().min(0).max(maxInt32).optional(),
})

const RestoreAcceptance = z.strictObject({ reason: Reason })

const PreviewRequest = ChangeRequest.omit({ reason: true }).extend({ reason: Reason.optional() })

const countActive = async (db: Reader, labels: readonly Label[]) =>
  estimateAccounts(
    mergeAccountSamples(
      (await listActiveAccounts(db, labels)).map((sample) => AccountSample.safeParse(sample).data ?? []),
    ),
  )

const readMovedAccounts = async (db: Reader, moved: readonly MovedRoute[]) => {
  if (moved.length === 0) return null
  const byAccount = moved.filter(({ label }) => !isDecidedByLink(label))
  // If a route is decided by share link, changing it moves links, not accounts. Such routes count only if no other
  // route moves.
  const counted = byAccount.length > 0 ? byAccount : moved
  const labels = counted.map(({ label }) => label)
  const active = await countActive(db, labels)
  if (active > 0) return { ...estimateMovedAccounts(counted, active), used: null }
  // The accounts of a write are recorded only once native serves it. Until then, counts the accounts that use the reads
  // in the same area.
  const areas = [...new Set(byAccount.map(({ label }) => `${areaOf(label)}.*` as const))]
  const beside = areas.flatMap(labelsIn).filter((label) => !isDecidedByLink(label))
  const activeBeside = beside.length === 0 ? 0 : await countActive(db, beside)
  return activeBeside === 0
    ? null
    : { ...estimateMovedAccounts(counted, activeBeside), used: areas.join(' or ') }
}

const countPinned = (db: Reader, before: RouteState, { scope, stage }: RouteState) =>
  isLabel(scope) && stage === 'retired' && before.stage !== 'retired'
    ? countCoreOverrides(db, scopesOf(scope))
    : 0

type Planned = Extract<ChangePlan, { kind: 'planned' }>

const describePlan = async (db: Reader, { scope }: RequestedChange, plan: Planned) => {
  const { before, after, demoted } = plan
  const { states } = await readStates(db)
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

/** Previews a change as if it were made now, under the rules for real changes. Writes nothing and takes no locks. */
export const previewChange = async (options: OperatorApiOptions, requested: RequestedChange) => {
  const { database, evidenceKeys, now } = options
  const { scope, change } = requested
  const preview = await readSnapshot(database.db, async (tx) => {
    const plan = await planChange(tx, requested, evidenceKeys, (each) => findRouteState(tx, each), now)
    if (plan.kind === 'illegal') return rejectedPreview(plan.reason)
    if (plan.kind === 'stale')
      return rejectedPreview(`${scope} changed while you were deciding (now version ${plan.state.version})`)
    const { warnings } = plan
    return { isLegal: true, reason: null, ...(await describePlan(tx, requested, plan)), warnings }
  })
  const gateWarnings = preview.isLegal ? await readGateWarnings(options, requested) : []
  return { scope, change, ...preview, warnings: [...preview.warnings, ...gateWarnings] }
}

const requireChanged = (outcome: ChangeOutcome) => {
  if (outcome.kind === 'changed') return outcome
  if (outcome.kind === 'illegal')
    throw new ApiError('route_change_illegal', { message: `${outcome.reason}.` })
  const { scope, version } = outcome.state
  throw new ApiError('route_version_stale', {
    message: `${scope} changed while you were deciding (now version ${version}). View the current state: ${formatCommand('routes', 'explain', scope)}`,
    version,
  })
}

export const mountChanges = (app: OperatorApp, options: OperatorApiOptions): void => {
  const { database, evidenceKeys, log } = options

  app.post(
    '/api/routes/:scope/changes/preview',
    requireRole('read'),
    validate('json', PreviewRequest),
    validate('param', ScopeParams),
    async ({ req, get }) => {
      const { scope } = req.valid('param')
      const { name: who } = get('operator')
      const { reason = '', ...proposed } = req.valid('json')
      return sendJson(await previewChange(options, { ...proposed, reason, scope, who }))
    },
  )

  app.post(
    '/api/routes/:scope/changes',
    requireRole('change'),
    validate('json', ChangeRequest),
    validate('param', ScopeParams),
    async ({ req, get }) => {
      const { scope } = req.valid('param')
      const { name: who } = get('operator')
      const requested = { scope, who, ...req.valid('json') }
      const gateWarnings = await readGateWarnings(options, requested)
      const outcome = await database.db.transaction((tx) =>
        changeRouteState(tx, requested, evidenceKeys, options.now),
      )
      const { state, demoted, warnings: ofChange, epoch } = requireChanged(outcome)
      const warnings = [...ofChange, ...gateWarnings]
      log.info({ scope, operator: who, change: requested.change.kind, epoch }, 'route state changed')
      return respondAdopted(options, epoch, { state, demoted, warnings })
    },
  )

  app.post(
    '/api/accept-restore',
    requireRole('change'),
    validate('json', RestoreAcceptance),
    async ({ req, get }) => {
      const { reason } = req.valid('json')
      const { name: who } = get('operator')
      const epoch = await database.db.transaction((tx) => acceptRestore(tx, { who, reason }))
      if (epoch === null)
        throw new ApiError('route_change_illegal', { message: 'There is no restored database to accept.' })
      log.info({ operator: who, epoch }, 'restored database accepted')
      return respondAdopted(options, epoch)
    },
  )
}
