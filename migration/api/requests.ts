import { zValidator } from '@hono/zod-validator'
import * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { parse } from '#contracts/shared/parse.ts'
import { Str } from '#contracts/shared/primitives.ts'
import { isLabel, labels } from '#contracts/shared/row.ts'
import { toFetchResponse } from '#gateway/pages/page-app.ts'
import { jsonResponse } from '#gateway/request/response.ts'
import { isRouteScope, type RouteScope, routeScopes } from '../model/route-scope.ts'
import { listNearest } from './list-nearest.ts'

export const Reason = Str(500)
/** Versions and epochs are stored in 32 bits. */
export const maxInt32 = 2_147_483_647

/** Validates one part of the request, and reports mistakes as the client API does. Throws `validation_error`. */
export const validate = <T extends 'json' | 'param' | 'query', S extends z.ZodType>(target: T, schema: S) =>
  zValidator(target, schema, undefined, {
    validationFunction: (known, value) => ({ success: true, data: parse(known, value) }),
  })

export const createScopeError = (text: string, expected: string, among: readonly string[] = routeScopes) => {
  const nearest = listNearest(text, among)
  return new ApiError('route_scope_unknown', {
    message: `${JSON.stringify(text.slice(0, 100))} is not ${expected}. Closest: ${nearest.join(', ')}.`,
    nearest: [...nearest],
  })
}

const requireLabel = (text: string): Label => {
  if (isLabel(text)) return text
  throw createScopeError(text, 'a route label', labels)
}

export const requireScope = (text: string): RouteScope => {
  if (isRouteScope(text)) return text
  throw createScopeError(text, 'a route label, area.* or *')
}

export const ScopeParams = z.object({ scope: z.string().transform(requireScope) })

export const LabelParams = z.object({ label: z.string().transform(requireLabel) })

export const sendJson = (body: unknown) => toFetchResponse(jsonResponse(200, body))
