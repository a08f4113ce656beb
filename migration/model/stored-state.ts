import * as z from 'zod'
import { isLabel } from '#contracts/shared/row.ts'
import { isRouteScope, type RouteScope } from './route-scope.ts'
import {
  fullWeightBp,
  initialStateOf,
  promotionModes,
  type RouteState,
  routeStages,
  unchangedState,
  weightOfStage,
} from './route-state.ts'
import type { AccountOverride } from './routing-view.ts'

const Scope = z.string().refine(isRouteScope, { error: 'is not a route label, area.* or *' })

const StoredState = z
  .object({
    scope: Scope,
    stage: z.enum(routeStages).nullable(),
    weightBp: z.int().min(0).max(fullWeightBp),
    killed: z.boolean(),
    held: z.boolean(),
    mode: z.enum(promotionModes),
    evidenceKey: z.string().nullable(),
    failedEvidenceKey: z.string().nullable(),
    drillUntil: z.iso.datetime().nullable(),
    version: z.int().min(0),
  })
  .refine(({ scope, stage }) => isLabel(scope) === (stage !== null), {
    error: 'is required for a route and not allowed for an area',
    path: ['state'],
  })
  .refine(({ stage, weightBp }) => hasWeightOf(stage, weightBp), {
    error: 'is not a valid weight for this state',
    path: ['weightBp'],
  })
  .transform(
    ({ drillUntil, ...row }): RouteState => ({
      ...row,
      // The previous release does not know about drills, so it may have moved the route without clearing the drill's
      // end.
      drillUntil: row.stage === 'retired' ? drillUntil : null,
    }),
  )

export const AuditedState = z.object({
  stage: z.enum(routeStages).nullable(),
  weightBp: z.number(),
  killed: z.boolean(),
  held: z.boolean(),
  // Entries of earlier releases lack this field.
  drillUntil: z.string().nullable().default(null),
})

export const DrillState = z.object({
  stage: z.literal('retired'),
  evidenceKey: z.string().nullable(),
  drillUntil: z.iso.datetime(),
})

const hasWeightOf = (stage: RouteState['stage'], weightBp: number) => {
  const expected = stage === null ? 0 : weightOfStage(stage)
  return expected === null ? weightBp > 0 && weightBp < fullWeightBp : weightBp === expected
}

const StoredOverride = z.object({
  accountId: z.string().min(1),
  scope: Scope,
  side: z.enum(['core', 'native']),
  until: z.iso.datetime().nullable(),
})

const describeProblem = ({ issues: [issue] }: z.ZodError) =>
  `${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is invalid'}`.trim()

/** Reads a row's scope, even if the rest of the row is invalid. */
export const readScope = (row: unknown): RouteScope | null =>
  z.object({ scope: Scope }).safeParse(row).data?.scope ?? null

export const parseRouteState = (row: unknown): RouteState | null => StoredState.safeParse(row).data ?? null

export const parseAccountOverride = (row: unknown): AccountOverride | null => {
  const { data } = StoredOverride.safeParse(row)
  return data ? { ...data, until: data.until === null ? null : new Date(data.until) } : null
}

/** Parses rows of `route_state`. An invalid row, for example from a later release, does not affect the others. */
export const parseRouteStates = (rows: readonly { readonly scope: string }[]) => {
  const parsed = rows.map((row) => ({ scope: row.scope, result: StoredState.safeParse(row) }))
  return {
    valid: parsed.flatMap(({ result }) => (result.success ? [result.data] : [])),
    invalid: parsed.flatMap(({ scope, result }) =>
      result.success ? [] : [{ scope, problem: describeProblem(result.error) }],
    ),
  }
}

export const defaultStateOf = (scope: RouteScope): RouteState =>
  isLabel(scope) ? initialStateOf(scope) : { scope, stage: null, weightBp: 0, ...unchangedState }
