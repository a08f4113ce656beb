import * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'
import { applyFileChanges, createRefusal } from '../control/apply-file-changes.ts'
import { type RoutingFile, writeRoutingFile } from '../model/routing-file.ts'
import { respondAdopted } from './instances.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { parseRoutingFile } from './parse-routing-file.ts'
import { type FileRequest, planRoutingFile, readSituation } from './plan-routing-file.ts'
import { Reason, sendJson, validate } from './requests.ts'

const PlanRequest = z.strictObject({ file: z.unknown(), waivesChecks: z.boolean().default(false) })

const ApplyRequest = PlanRequest.extend({ reason: Reason })

// An attempt takes well under a second, and nobody changes routing five times in a few seconds.
const maxAttempts = 5

const applyFile = async (options: OperatorApiOptions, file: RoutingFile, request: FileRequest) => {
  const { database, evidenceKeys, now } = options
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const plan = await planRoutingFile(options, file, request)
    if (plan.refused.length > 0) throw createRefusal(plan.refused.map(({ sentence }) => sentence))
    if (plan.changes.length === 0) return plan
    const epoch = await database.db.transaction((tx) =>
      applyFileChanges(tx, { ...plan, ...request }, evidenceKeys, now),
    )
    if (epoch !== null) return { ...plan, epoch }
  }
  throw new ApiError('route_change_illegal', {
    message: 'Nothing was changed, because the routing kept changing in the meantime. Try again.',
  })
}

export const mountRoutingFile = (app: OperatorApp, options: OperatorApiOptions): void => {
  const { database, log } = options

  app.get('/api/routing-file', requireRole('read'), async () =>
    sendJson(writeRoutingFile(await readSituation(database.reader))),
  )

  app.post(
    '/api/routing-file/preview',
    requireRole('read'),
    validate('json', PlanRequest),
    async ({ req, get }) => {
      const { file, waivesChecks } = req.valid('json')
      const request = { who: get('operator').name, reason: '', waivesChecks }
      return sendJson(await planRoutingFile(options, parseRoutingFile(file), request))
    },
  )

  app.post(
    '/api/routing-file',
    requireRole('change'),
    validate('json', ApplyRequest),
    async ({ req, get }) => {
      const { file, ...given } = req.valid('json')
      const { name: who } = get('operator')
      const applied = await applyFile(options, parseRoutingFile(file), { ...given, who })
      const { changes, epoch } = applied
      for (const change of changes) {
        const { scope } = change
        if (change.kind === 'state')
          log.info({ scope, operator: who, change: change.change.kind, epoch }, 'route state changed')
        else if (change.kind === 'override')
          log.info({ scope, operator: who, side: change.side, epoch }, 'account override stored')
        else log.info({ scope, operator: who, epoch }, 'account override removed')
      }
      return changes.length === 0
        ? sendJson({ ...applied, adoption: null })
        : respondAdopted(options, epoch, applied)
    },
  )
}
