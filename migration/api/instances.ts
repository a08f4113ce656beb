import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'
import { Id } from '#contracts/shared/primitives.ts'
import { isDatabaseUnavailable, type Reader } from '#db/client/connection.ts'
import { listLiveInstances, listUnknownInstances } from '#db/queries/routing/gateway-instances.ts'
import { findRoutingEpoch } from '#db/queries/routing/route-states.ts'
import { type ForgetOutcome, forgetInstance } from '../control/gateway-instances.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { Reason, sendJson, validate } from './requests.ts'

const InstanceParams = z.object({ id: Id })

const InstanceRemoval = z.strictObject({ reason: Reason })

const groupLive = async (db: Reader, epoch: number) => {
  const live = await listLiveInstances(db)
  return {
    adopted: live.filter((instance) => instance.epoch >= epoch),
    missing: live.filter((instance) => instance.epoch < epoch),
  }
}

/** An unknown instance has been silent for 15 seconds but did not shut down. It may still serve with an older state. */
export const readInstances = async (db: Reader, epoch: number) => {
  const [live, unknown] = await Promise.all([groupLive(db, epoch), listUnknownInstances(db)])
  return { ...live, unknown }
}

const pollIntervalMs = 20

const pollAdoption = async (db: Reader, epoch: number, timeoutMs: number) => {
  const startedAt = performance.now()
  for (;;) {
    const { adopted, missing } = await groupLive(db, epoch)
    const ms = Math.round(performance.now() - startedAt)
    if (missing.length === 0 || ms >= timeoutMs)
      return {
        instances: adopted.length + missing.length,
        adopted: adopted.length,
        // Time from the commit until the last of these instances reported the epoch.
        ms,
        missing: missing.map(({ id }) => id),
        unknown: await listUnknownInstances(db),
      }
    await sleep(pollIntervalMs)
  }
}

/**
 * Waits up to `timeoutMs` for all live instances to report the epoch of a committed change. Returns null if the
 * database fails meanwhile: the change was made, but nobody knows which instances adopted it.
 */
export const waitForAdoption = (db: Reader, epoch: number, timeoutMs: number) =>
  pollAdoption(db, epoch, timeoutMs).catch((error) => {
    if (isDatabaseUnavailable(error)) return null
    throw error
  })

const adoptionTimeoutMs = 2000

export const respondAdopted = async (
  { database }: Pick<OperatorApiOptions, 'database'>,
  epoch: number,
  body: object = {},
) => sendJson({ ...body, epoch, adoption: await waitForAdoption(database.db, epoch, adoptionTimeoutMs) })

const requireForgotten = (id: string, outcome: ForgetOutcome) => {
  if (outcome.kind === 'forgotten') return outcome
  if (outcome.kind === 'not-found')
    throw new ApiError('gateway_instance_not_found', {
      message: `No instance has the id ${JSON.stringify(id.slice(0, 100))}. It may have shut down or already been forgotten.`,
    })
  throw new ApiError('gateway_instance_live', {
    message: `${id} is still running: it reported ${outcome.lastReportAgeS} s ago. Stop it, and it will remove itself.`,
  })
}

export const mountInstances = (app: OperatorApp, options: OperatorApiOptions): void => {
  const { database, log } = options

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
      return respondAdopted(options, epoch)
    },
  )
}
