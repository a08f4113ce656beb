import * as z from 'zod'
import { AccountId } from '#contracts/shared/primitives.ts'
import { isDecidedByLink, isTwoSided, labels } from '#contracts/shared/row.ts'
import { listAccountOverrides } from '#db/queries/routing/account-overrides.ts'
import { listAccountMoves, listFailedCode } from '#db/queries/routing/route-audit.ts'
import { readSnapshot } from '../control/open-routing-database.ts'
import { bucketOf } from '../model/bucket.ts'
import { findNarrowest } from '../model/build-routing-view.ts'
import { explainRoute } from '../model/explain-route.ts'
import { describeAdoption } from '../model/format-state.ts'
import { areaOf, isRouteScope } from '../model/route-scope.ts'
import { initialStateOf } from '../model/route-state.ts'
import { type AccountMove, findSideSince } from '../model/side-since.ts'
import { AuditedState, parseAccountOverride } from '../model/stored-state.ts'
import { describeInstance, readStates } from './describe-instance.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { sendJson, validate } from './requests.ts'

const AccountParams = z.object({ accountId: AccountId })

type AuditRow = Awaited<ReturnType<typeof listAccountMoves>>[number]

// Skips audit entries that this version cannot read, such as those about scopes it does not have.
const parseMove = ({ at, scope, action, before }: AuditRow): AccountMove[] => {
  if (!isRouteScope(scope)) return []
  const entry = { scope, at: Date.parse(at) }
  if (action.endsWith('override'))
    return [{ ...entry, kind: 'override', before: parseAccountOverride(before) }]
  const { data } = AuditedState.safeParse(before)
  return data ? [{ ...entry, kind: 'state', before: { ...data, scope } }] : []
}

export const readAccount = async (options: OperatorApiOptions, accountId: string) => {
  const { database, routing } = options
  const { epoch, states, unreadable, overrides, audit, failedCode } = await readSnapshot(
    database.db,
    async (tx) => ({
      ...(await readStates(tx)),
      overrides: await listAccountOverrides(tx, accountId),
      audit: await listAccountMoves(tx, accountId),
      failedCode: await listFailedCode(tx, labels),
    }),
  )
  const now = new Date()
  const instance = describeInstance(options, unreadable)
  const adopted = routing.stored()?.overrides ?? []
  const moves = audit.flatMap(parseMove)
  const present = {
    states: [...states.values()],
    overrides: overrides.flatMap((row) => parseAccountOverride(row) ?? []),
  }
  const { hasCore, installationSalt, staticStates, configuredKills: kills, hasHandler } = instance
  const handled = { has: hasHandler }
  const live = overrides.filter(({ until }) => until === null || Date.parse(until) > now.getTime())
  const decidedBy = { accountId, staticStates, kills, handled, hasCore, installationSalt }
  const routes = labels.filter(isTwoSided).map((label) => {
    const { side, sentences } = explainRoute({
      ...instance,
      label,
      account: accountId,
      link: null,
      overrides: adopted,
      failedCode,
      now,
    })
    const stored = findSideSince({ label, ...decidedBy }, present, moves, now.getTime())
    const since = stored.side === side ? stored.since : null
    const { stage, weightBp } = states.get(label) ?? initialStateOf(label)
    return {
      label,
      side,
      stage,
      weightBp,
      isDecidedByLink: isDecidedByLink(label),
      bucket: isDecidedByLink(label) ? null : bucketOf(installationSalt, areaOf(label), accountId),
      since: since === null ? null : new Date(since).toISOString(),
      override: isDecidedByLink(label) ? null : (findNarrowest(live, label) ?? null),
      sentences,
    }
  })
  return { accountId, epoch, warnings: describeAdoption(routing.current(), epoch), overrides, routes }
}

export const mountAccounts = (app: OperatorApp, options: OperatorApiOptions): void => {
  app.get(
    '/api/accounts/:accountId',
    requireRole('read'),
    validate('param', AccountParams),
    async ({ req }) => sendJson(await readAccount(options, req.valid('param').accountId)),
  )
}
