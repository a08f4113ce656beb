import * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'
import { acceptRestore } from '../control/restored-database.ts'
import { respondAdopted } from './instances.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { Reason, validate } from './requests.ts'

const Acceptance = z.strictObject({ reason: Reason })

export const mountRestores = (app: OperatorApp, options: OperatorApiOptions): void => {
  const { database, log } = options

  app.post(
    '/api/accept-restore',
    requireRole('change'),
    validate('json', Acceptance),
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
