import * as z from 'zod'

/** The state of a scope. */
export const State = z.object({
  scope: z.string(),
  stage: z.string().nullable(),
  weightBp: z.number(),
  killed: z.boolean(),
  held: z.boolean(),
  mode: z.string(),
  version: z.number(),
})
export type State = z.infer<typeof State>

const Adoption = z.object({
  instances: z.number(),
  adopted: z.number(),
  ms: z.number(),
  missing: z.array(z.string()),
})

/** The response to a change of a scope (with its state) or of an override. */
export const ChangeResponse = z.looseObject({
  state: State.optional(),
  epoch: z.number(),
  adoption: Adoption,
})
export type ChangeResponse = z.infer<typeof ChangeResponse>

export const ListResponse = z.looseObject({
  epoch: z.number(),
  instances: z.object({ live: z.number(), adopted: z.number() }),
  routes: z.array(
    z.looseObject({
      label: z.string(),
      effects: z.string(),
      isTwoSided: z.boolean(),
      hasHandler: z.boolean(),
      state: State,
      killedBy: z.string().nullable(),
      heldBy: z.string().nullable(),
    }),
  ),
  invalid: z.array(z.object({ scope: z.string(), problem: z.string() })),
})
export type ListResponse = z.infer<typeof ListResponse>

/** The explanation of one route, or the routes of an area. */
export const ExplainResponse = z.looseObject({
  scope: z.string(),
  state: State,
  explanation: z.looseObject({ sentences: z.array(z.string()) }).optional(),
  routes: z.array(z.string()).optional(),
})
export type ExplainResponse = z.infer<typeof ExplainResponse>

export const AuditResponse = z.looseObject({
  entries: z.array(
    z.looseObject({
      at: z.string(),
      who: z.string(),
      scope: z.string(),
      action: z.string(),
      before: z.unknown(),
      after: z.unknown(),
      reason: z.string(),
      epoch: z.number(),
    }),
  ),
})
export type AuditResponse = z.infer<typeof AuditResponse>

export const OverridesResponse = z.looseObject({
  overrides: z.array(
    z.looseObject({
      accountId: z.string(),
      scope: z.string(),
      side: z.string(),
      until: z.string().nullable(),
      who: z.string(),
      reason: z.string(),
    }),
  ),
})
export type OverridesResponse = z.infer<typeof OverridesResponse>
