import { zValidator } from '@hono/zod-validator'
import * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'
import { parse } from '#contracts/shared/parse.ts'
import { isRouteScope, type RouteScope } from '#migration/routing/route-scope.ts'
import { fullWeightBp, promotionModes } from '#migration/routing/route-state.ts'
import { listNearestScopes } from './nearest-scopes.ts'

const Reason = z.string().trim().min(1).max(500)
const AccountId = z.string().min(1).max(200)

const Change = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['shadow', 'hold', 'release', 'kill', 'resume']) }),
  z.strictObject({ kind: z.literal('ramp'), weightBp: z.int().min(0).max(fullWeightBp) }),
  z.strictObject({ kind: z.literal('mode'), mode: z.enum(promotionModes) }),
])

export const ChangeRequest = z.strictObject({
  change: Change,
  reason: Reason,
  /** The version that the change was decided on; without it, the change applies to any. */
  version: z.int().min(0).optional(),
})

export const OverrideRequest = z.strictObject({
  accountId: AccountId,
  scope: z.string(),
  side: z.enum(['core', 'native']),
  /** Null: until it is removed. */
  until: z.iso.datetime({ offset: true }).nullable().default(null),
  reason: Reason,
})

export const OverrideRemoval = z.strictObject({ accountId: AccountId, scope: z.string(), reason: Reason })

export const OverrideQuery = z.strictObject({ account: AccountId.optional() })

export const ExplainQuery = z.strictObject({
  account: AccountId.optional(),
  /** The slug or token of a share link. */
  link: z.string().min(1).max(200).optional(),
})

const maxAuditEntries = 200

export const AuditQuery = z.strictObject({
  scope: z.string().optional(),
  before: z.coerce.number<string>().int().min(0).optional(),
  limit: z.coerce.number<string>().int().min(1).max(maxAuditEntries).default(50),
})

/** Validates a part of the request; errors are those of the service. Throws `validation_error`. */
export const validate = <T extends 'json' | 'query', S extends z.ZodType>(target: T, schema: S) =>
  zValidator(target, schema, undefined, {
    validationFunction: (known, value) => ({ success: true, data: parse(known, value) }),
  })

/** Throws `route_scope_unknown` with the nearest scopes. */
export const requireScope = (text: string): RouteScope => {
  if (isRouteScope(text)) return text
  const nearest = listNearestScopes(text)
  throw new ApiError('route_scope_unknown', {
    message: `${JSON.stringify(text.slice(0, 100))} is not a route label, area.* or *. The nearest are: ${nearest.join(', ')}.`,
    nearest: [...nearest],
  })
}
