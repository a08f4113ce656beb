import { Hono } from 'hono/tiny'
import { ApiError } from '#contracts/errors.ts'
import { isLabel } from '#contracts/shared/row.ts'
import { listAccountOverrides } from '#db/queries/account-overrides.ts'
import { listLiveInstances } from '#db/queries/gateway-instances.ts'
import { findRoutingEpoch } from '#db/queries/route-states.ts'
import { explainRoute } from '#migration/routing/explain-route.ts'
import { labelsIn, type RouteScope } from '#migration/routing/route-scope.ts'
import { defaultStateOf, parseAccountOverrides } from '#migration/routing/stored-state.ts'
import { toFetchResponse } from '../pages/page-app.ts'
import { jsonResponse } from '../request/response.ts'
import { type ChangeOutcome, changeRouteState } from '../routing/change-route-state.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { readRouteList, readStates } from './read-routing.ts'
import { ChangeRequest, ExplainQuery, requireScope, validate } from './requests.ts'
import { defaultAdoptionTimeoutMs, waitForAdoption } from './wait-for-adoption.ts'

/** Sends a body as JSON. */
export const sendJson = (body: unknown) => toFetchResponse(jsonResponse(200, body))

const readExplanation = async (options: OperatorApiOptions, scope: RouteScope, subject: string | null) => {
  const { database, evidenceKeys, hasCore, configuredKills, installationSalt } = options
  const { states } = await readStates(database.reader)
  const state = states.get(scope) ?? defaultStateOf(scope)
  if (!isLabel(scope)) return { scope, state, routes: labelsIn(scope) }
  const overrides = subject === null ? [] : await listAccountOverrides(database.reader, subject)
  const explanation = explainRoute({
    label: scope,
    states,
    configuredKills,
    hasCore,
    hasHandler: evidenceKeys.has(scope),
    overrides: parseAccountOverrides(overrides).valid,
    subject,
    installationSalt,
    now: new Date(),
  })
  return { scope, state, evidenceKey: evidenceKeys.get(scope) ?? null, explanation }
}

const requireChanged = (outcome: ChangeOutcome) => {
  if (outcome.kind === 'changed') return outcome
  if (outcome.kind === 'illegal')
    throw new ApiError('route_change_illegal', { message: `${outcome.reason}.` })
  const { scope, version } = outcome.state
  throw new ApiError('route_version_stale', {
    message: `${scope} has version ${version}: another change came first. Read its state again and decide anew.`,
    version,
  })
}

/** The endpoints that read and change the state of routes. */
export const createRouteEndpoints = (options: OperatorApiOptions): OperatorApp => {
  const { database, evidenceKeys, log, adoptionTimeoutMs = defaultAdoptionTimeoutMs } = options
  const app: OperatorApp = new Hono()

  app.get('/api/routes', requireRole('read'), async () => sendJson(await readRouteList(options)))

  app.get('/api/routes/:scope', requireRole('read'), validate('query', ExplainQuery), async ({ req }) => {
    const { account, link } = req.valid('query')
    const scope = requireScope(req.param('scope'))
    return sendJson(await readExplanation(options, scope, account ?? link ?? null))
  })

  app.post(
    '/api/routes/:scope/changes',
    requireRole('change'),
    validate('json', ChangeRequest),
    async ({ req, get }) => {
      const scope = requireScope(req.param('scope'))
      const { name: who } = get('operator')
      const requested = { scope, who, ...req.valid('json') }
      const outcome = await database.db.transaction((tx) => changeRouteState(tx, requested, evidenceKeys))
      const { state, epoch } = requireChanged(outcome)
      log.info({ scope, operator: who, change: requested.change.kind, epoch }, 'route state changed')
      const adoption = await waitForAdoption(database.reader, epoch, adoptionTimeoutMs)
      return sendJson({ state, epoch, adoption })
    },
  )

  app.get('/api/instances', requireRole('read'), async () => {
    const epoch = await findRoutingEpoch(database.reader)
    return sendJson({ epoch, instances: await listLiveInstances(database.reader) })
  })
  return app
}
