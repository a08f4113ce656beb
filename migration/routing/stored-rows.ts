import * as z from 'zod'
import type { AccountOverride } from './build-routing-view.ts'
import { isRouteScope, type RouteScope } from './route-scope.ts'
import { fullWeightBp, promotionModes, type RouteState, routeStages, weightOfStage } from './route-state.ts'

const scope = z.custom<RouteScope>((text) => typeof text === 'string' && isRouteScope(text))

const StoredState = z
  .object({
    scope,
    state: z.enum(routeStages).nullable(),
    weightBp: z.int().min(0).max(fullWeightBp),
    killed: z.boolean(),
    held: z.boolean(),
    mode: z.enum(promotionModes),
    evidenceKey: z.string().nullable(),
    failedEvidenceKey: z.string().nullable(),
    version: z.int().min(0),
  })
  .refine(({ state, weightBp }) => {
    const weight = state === null ? 0 : weightOfStage(state)
    return weight === null ? weightBp > 0 && weightBp < fullWeightBp : weightBp === weight
  })

const StoredOverride = z.object({
  accountId: z.string().min(1),
  scope,
  side: z.enum(['core', 'native']),
  until: z.iso.datetime().nullable(),
})

/** The scope of a row of any shape; null if it is none that this version knows. */
export const readScope = (row: unknown): RouteScope | null =>
  z.object({ scope }).safeParse(row).data?.scope ?? null

/** Parses a row of `route_state`; null if it makes no sense. */
export const parseRouteState = (row: unknown): RouteState | null => {
  const { data } = StoredState.safeParse(row)
  if (!data) return null
  const { state: stage, ...rest } = data
  return { stage, ...rest }
}

/** Parses a row of `account_override`; null if it makes no sense. */
export const parseAccountOverride = (row: unknown): AccountOverride | null => {
  const { data } = StoredOverride.safeParse(row)
  return data ? { ...data, until: data.until === null ? null : new Date(data.until) } : null
}
