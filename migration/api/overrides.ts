import * as z from 'zod'
import { ApiError, invalid } from '#contracts/errors.ts'
import { AccountId, TimestampInput } from '#contracts/shared/primitives.ts'
import { isTwoSided } from '#contracts/shared/row.ts'
import { listAccountOverrides } from '#db/queries/routing/account-overrides.ts'
import { putAccountOverride, removeAccountOverride } from '../control/change-account-override.ts'
import { readTime } from '../control/read-retirement.ts'
import { labelsIn, type RouteScope } from '../model/route-scope.ts'
import { respondAdopted } from './instances.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { Reason, requireScope, sendJson, validate } from './requests.ts'

const OverrideRequest = z.strictObject({
  accountId: AccountId,
  scope: z.string(),
  side: z.enum(['core', 'native']),
  /** Null if the override lasts until someone removes it. */
  until: TimestampInput.nullable().default(null),
  reason: Reason,
})

const OverrideRemoval = z.strictObject({ accountId: AccountId, scope: z.string(), reason: Reason })

const OverrideQuery = z.strictObject({ account: AccountId.optional() })

const requireMovable = (scope: RouteScope) => {
  if (!labelsIn(scope).some(isTwoSided))
    throw new ApiError('route_change_illegal', {
      message: `${scope} is native-only: the core cannot serve it, so an override has no effect.`,
    })
  return scope
}

// By the database's clock, which decides whether an override is in force.
const requireFuture = async ({ database, now }: OperatorApiOptions, until: string | null) => {
  if (until !== null && Date.parse(until) <= (await readTime(database.db, now)))
    throw invalid('until', 'must be in the future')
}

export const mountOverrides = (app: OperatorApp, options: OperatorApiOptions): void => {
  const { database, log } = options

  app.get('/api/overrides', requireRole('read'), validate('query', OverrideQuery), async ({ req }) =>
    sendJson({ overrides: await listAccountOverrides(database.reader, req.valid('query').account) }),
  )

  app.put(
    '/api/overrides',
    requireRole('change'),
    validate('json', OverrideRequest),
    async ({ req, get }) => {
      const { until, ...given } = req.valid('json')
      const { name: who } = get('operator')
      const scope = requireMovable(requireScope(given.scope))
      await requireFuture(options, until)
      const override = { ...given, scope, until, who }
      const epoch = await database.db.transaction((tx) => putAccountOverride(tx, override))
      log.info({ scope, operator: who, side: given.side, epoch }, 'account override stored')
      return respondAdopted(options, epoch, { override })
    },
  )

  app.delete(
    '/api/overrides',
    requireRole('change'),
    validate('json', OverrideRemoval),
    async ({ req, get }) => {
      const given = req.valid('json')
      const { name: who } = get('operator')
      const scope = requireScope(given.scope)
      const removal = { ...given, scope, who }
      const epoch = await database.db.transaction((tx) => removeAccountOverride(tx, removal))
      if (epoch === null)
        throw new ApiError('account_override_not_found', {
          message: `${given.accountId} has no override on ${scope}; GET /api/overrides lists all overrides.`,
        })
      log.info({ scope, operator: who, epoch }, 'account override removed')
      return respondAdopted(options, epoch)
    },
  )
}
