import { Hono } from 'hono/tiny'
import { ApiError } from '#contracts/errors.ts'
import { findRoutingEpoch } from '#db/queries/routing/route-states.ts'
import { type ForgetOutcome, forgetInstance } from '../control/forget-instance.ts'
import { defaultAdoptionTimeoutMs, readInstances, waitForAdoption } from './instances.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { InstanceParams, InstanceRemoval, validate } from './requests.ts'
import { sendJson } from './route-endpoints.ts'

const requireForgotten = (id: string, outcome: ForgetOutcome) => {
  if (outcome.kind === 'forgotten') return outcome
  if (outcome.kind === 'not-found')
    throw new ApiError('gateway_instance_not_found', {
      message: `No instance has the id ${JSON.stringify(id.slice(0, 100))}: it has shut down, or was forgotten already.`,
    })
  throw new ApiError('gateway_instance_live', {
    message: `${id} reported ${outcome.lastReportAgeS} s ago: stop it instead, and it removes itself.`,
  })
}

/** The endpoints that list the instances and forget those that have ended without removing themselves. */
export const createInstanceEndpoints = ({
  database,
  log,
  adoptionTimeoutMs = defaultAdoptionTimeoutMs,
}: OperatorApiOptions): OperatorApp => {
  const app: OperatorApp = new Hono()

  app.get('/api/instances', requireRole('read'), async () => {
    const epoch = await findRoutingEpoch(database.reader)
    return sendJson({ epoch, ...(await readInstances(database.reader, epoch)) })
  })

  app.delete(
    '/api/instances/:id',
    requireRole('change'),
    validate('param', InstanceParams),
    validate('json', InstanceRemoval),
    async ({ req, get }) => {
      const { id } = req.valid('param')
      const { reason } = req.valid('json')
      const { name: who } = get('operator')
      const outcome = await database.db.transaction((tx) => forgetInstance(tx, { id, who, reason }))
      const { epoch } = requireForgotten(id, outcome)
      log.info({ forgottenInstance: id, operator: who }, 'instance forgotten')
      const adoption = await waitForAdoption(database.reader, epoch, adoptionTimeoutMs)
      return sendJson({ epoch, adoption })
    },
  )
  return app
}
