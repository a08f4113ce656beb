import { zValidator } from '@hono/zod-validator'
import * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { parse } from '#contracts/shared/parse.ts'
import { AccountId, Id, Str, TimestampInput } from '#contracts/shared/primitives.ts'
import { isLabel, labels } from '#contracts/shared/row.ts'
import { maxDrillMinutes } from '../model/retirement/retire.ts'
import { isRouteScope, type RouteScope } from '../model/route-scope.ts'
import { fullWeightBp, promotionModes } from '../model/route-state.ts'
import { listNearestScopes } from './nearest-scopes.ts'

const Reason = Str(500)
// Versions and epochs are stored in 32 bits.
const maxNumber = 2_147_483_647

const Change = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['shadow', 'hold', 'release', 'kill', 'resume']) }),
  z.strictObject({ kind: z.literal('ramp'), weightBp: z.int().min(0).max(fullWeightBp) }),
  z.strictObject({ kind: z.literal('mode'), mode: z.enum(promotionModes) }),
  z.strictObject({
    kind: z.literal('retire'),
    /** Without it, the route is retired for good. */
    drillMinutes: z.int().min(1).max(maxDrillMinutes).optional(),
  }),
])

export const ChangeRequest = z.strictObject({
  change: Change,
  reason: Reason,
  /** The version that the change was decided on; without it, the change applies to any. */
  version: z.int().min(0).max(maxNumber).optional(),
})

export const PreviewRequest = ChangeRequest.omit({ reason: true }).extend({ reason: Reason.optional() })

export const OverrideRequest = z.strictObject({
  accountId: AccountId,
  scope: z.string(),
  side: z.enum(['core', 'native']),
  /** Null: until it is removed. */
  until: TimestampInput.nullable().default(null),
  reason: Reason,
})

export const OverrideRemoval = z.strictObject({ accountId: AccountId, scope: z.string(), reason: Reason })

export const AccountParams = z.object({ accountId: AccountId })

export const InstanceParams = z.object({ id: Id })

export const InstanceRemoval = z.strictObject({ reason: Reason })

export const OverrideQuery = z.strictObject({ account: AccountId.optional() })

export const ExplainQuery = z.strictObject({
  account: AccountId.optional(),
  /** The slug or token of a share link. */
  link: Str(200).optional(),
})

const maxAuditEntries = 200

export const AuditQuery = z.strictObject({
  /** A scope, or the id of an instance that was forgotten. */
  scope: Str(128).optional(),
  before: z.coerce.number<string>().int().min(0).max(maxNumber).optional(),
  limit: z.coerce.number<string>().int().min(1).max(maxAuditEntries).default(50),
})

/** As long as daily counts are kept. */
const maxHistoryDays = 400

export const HistoryQuery = z.strictObject({
  days: z.coerce.number<string>().int().min(1).max(maxHistoryDays).default(90),
})

export const RouteHistoryQuery = z.strictObject({
  hours: z.coerce
    .number<string>()
    .int()
    .min(1)
    .max(maxHistoryDays * 24)
    .default(24),
})

export const ReportQuery = z.strictObject({
  /** `2026-11`, in UTC; by default, the present month. */
  month: z.string().optional(),
})

/** Validates a part of the request; errors are those of the service. Throws `validation_error`. */
export const validate = <T extends 'json' | 'param' | 'query', S extends z.ZodType>(target: T, schema: S) =>
  zValidator(target, schema, undefined, {
    validationFunction: (known, value) => ({ success: true, data: parse(known, value) }),
  })

/** The error `route_scope_unknown` with the nearest scopes, or of those that are given. */
export const createScopeError = (text: string, expected: string, among?: readonly RouteScope[]) => {
  const nearest = listNearestScopes(text, among)
  return new ApiError('route_scope_unknown', {
    message: `${JSON.stringify(text.slice(0, 100))} is not ${expected}. The nearest are: ${nearest.join(', ')}.`,
    nearest: [...nearest],
  })
}

/** Throws `route_scope_unknown` with the nearest labels. */
const requireLabel = (text: string): Label => {
  if (isLabel(text)) return text
  throw createScopeError(text, 'a route label', labels)
}

/** Throws `route_scope_unknown` with the nearest scopes. */
export const requireScope = (text: string): RouteScope => {
  if (isRouteScope(text)) return text
  throw createScopeError(text, 'a route label, area.* or *')
}

/** Throws `route_scope_unknown`, as `LabelParams` does. */
export const ScopeParams = z.object({ scope: z.string().transform(requireScope) })

export const LabelParams = z.object({ label: z.string().transform(requireLabel) })
