import { Hono } from 'hono/tiny'
import { ApiError } from '#contracts/errors.ts'
import { toFetchResponse } from '#gateway/pages/page-app.ts'
import { jsonResponse } from '#gateway/request/response.ts'
import { type ChangeOutcome, changeRouteState } from '../control/change-route-state.ts'
import { previewChange } from './changes.ts'
import { defaultAdoptionTimeoutMs, waitForAdoption } from './instances.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { type GateReaders, readGateWarnings } from './read-gate.ts'
import { acceptsRemembered } from './remember-reads.ts'
import { ChangeRequest, ExplainQuery, PreviewRequest, ScopeParams, validate } from './requests.ts'
import { readExplanation, readRouteList } from './routes.ts'

/** Sends a body as JSON. */
export const sendJson = (body: unknown) => toFetchResponse(jsonResponse(200, body))

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
export const createRouteEndpoints = (options: OperatorApiOptions, readGate: GateReaders): OperatorApp => {
  const { database, evidenceKeys, log, adoptionTimeoutMs = defaultAdoptionTimeoutMs } = options
  const app: OperatorApp = new Hono()

  app.get('/api/routes', requireRole('read'), async () => sendJson(await readRouteList(options)))

  app.get(
    '/api/routes/:scope',
    requireRole('read'),
    validate('query', ExplainQuery),
    validate('param', ScopeParams),
    async ({ req }) => {
      const { account = null, link = null } = req.valid('query')
      const isRemembered = acceptsRemembered(req.header('cache-control'))
      const gate = isRemembered ? readGate.remembered : readGate.present
      return sendJson(await readExplanation(options, req.valid('param').scope, { account, link }, gate))
    },
  )

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
      const adoption = await waitForAdoption(database.reader, epoch, adoptionTimeoutMs)
      return sendJson({ state, demoted, warnings, epoch, adoption })
    },
  )
  return app
}
