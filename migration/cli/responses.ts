import * as z from 'zod'

const State = z.object({
  scope: z.string(),
  stage: z.string().nullable(),
  weightBp: z.number(),
  killed: z.boolean(),
  held: z.boolean(),
  mode: z.string(),
  drillUntil: z.string().nullable().default(null),
  version: z.number(),
})
export type State = z.infer<typeof State>

const Instances = z.array(z.object({ id: z.string(), epoch: z.number(), lastReportAgeS: z.number() }))
export type Instances = z.infer<typeof Instances>

export const InstancesResponse = z.looseObject({ unknown: Instances })

/** Null if the database stopped responding after it had stored the change. */
const Adoption = z
  .object({
    instances: z.number(),
    adopted: z.number(),
    ms: z.number(),
    missing: z.array(z.string()),
    unknown: Instances,
  })
  .nullable()

/**
 * The response to a change, to an override, and to the removal of an instance. Only a change of a scope has a `state`.
 */
export const ChangeResponse = z.looseObject({
  state: State.optional(),
  /** When an area or `*` is resumed: the routes that go back to the core instead of native. */
  demoted: z.array(State).default([]),
  warnings: z.array(z.string()).default([]),
  epoch: z.number(),
  adoption: Adoption,
})
export type ChangeResponse = z.infer<typeof ChangeResponse>

const ScopeNotes = z.array(z.object({ scope: z.string(), sentence: z.string() }))

const ByName = z.record(z.string(), z.unknown())

export const RoutingFileResponse = z.looseObject({ epoch: z.number(), routes: ByName, overrides: ByName })

export const FilePlanResponse = z.looseObject({
  changes: z.array(
    z.looseObject({
      scope: z.string(),
      sentences: z.array(z.string()),
      warnings: z.array(z.string()),
    }),
  ),
  /** What the file does not move, because a kill, hold or stop takes precedence. */
  kept: ScopeNotes,
  /** Any of these prevents the whole file from being applied. */
  refused: ScopeNotes,
  drifted: ScopeNotes,
})
export type FilePlanResponse = z.infer<typeof FilePlanResponse>

/** `adoption` is also null if there was nothing to change. */
export const AppliedFileResponse = FilePlanResponse.extend({ epoch: z.number(), adoption: Adoption })

export const PreviewResponse = z.looseObject({
  isLegal: z.boolean(),
  reason: z.string().nullable(),
  warnings: z.array(z.string()),
  sentences: z.array(z.string()),
})
export type PreviewResponse = z.infer<typeof PreviewResponse>

export const ListResponse = z.looseObject({
  epoch: z.number(),
  /** Why the instance that responded does not follow the listed states. */
  warnings: z.array(z.string()).default([]),
  instances: z.object({ live: z.number(), adopted: z.number(), unknown: Instances }),
  routes: z.array(
    z.looseObject({
      label: z.string(),
      effects: z.string(),
      isTwoSided: z.boolean(),
      state: State,
      fixedHere: z.object({ stage: z.string(), weightBp: z.number() }).nullable(),
      notes: z.array(z.object({ kind: z.string(), text: z.string() })).default([]),
    }),
  ),
  scopes: z.array(State),
  invalid: z.array(z.object({ scope: z.string(), problem: z.string() })),
})
export type ListResponse = z.infer<typeof ListResponse>

export const ExplainResponse = z.looseObject({
  scope: z.string(),
  sentences: z.array(z.string()),
  /** Set for a route that native serves to everyone. */
  retirement: z
    .array(z.object({ id: z.string(), isMet: z.boolean(), sentence: z.string() }))
    .nullable()
    .default(null),
})
export type ExplainResponse = z.infer<typeof ExplainResponse>

export const AccountResponse = z.looseObject({
  accountId: z.string(),
  warnings: z.array(z.string()),
  routes: z.array(
    z.looseObject({
      label: z.string(),
      side: z.string(),
      stage: z.string().nullable(),
      weightBp: z.number(),
      isDecidedByLink: z.boolean(),
      bucket: z.number().nullable(),
      since: z.string().nullable(),
      override: z
        .looseObject({ scope: z.string(), side: z.string(), until: z.string().nullable() })
        .nullable(),
    }),
  ),
})
export type AccountResponse = z.infer<typeof AccountResponse>

export const UsageResponse = z.looseObject({
  unmatched: z.object({
    requests: z.number(),
    shapes: z.array(
      z.looseObject({ method: z.string(), shape: z.string(), requests: z.number(), lastAt: z.string() }),
    ),
    other: z.number(),
  }),
  sentences: z.array(z.string()),
})
export type UsageResponse = z.infer<typeof UsageResponse>

export const EvidenceResponse = z.looseObject({ label: z.string(), sentences: z.array(z.string()) })

const Mismatch = z.looseObject({
  /** Becomes part of a file name. */
  signature: z.string().regex(/^\w{1,64}$/),
  kind: z.string(),
  path: z.string(),
  exampleNative: z.string().nullable(),
  exampleCore: z.string().nullable(),
})
export type Mismatch = z.infer<typeof Mismatch>

/** A route's severe differences. Empty if the gateway does not list them. */
export const MismatchesResponse = z.looseObject({
  label: z.string(),
  mismatches: z.array(Mismatch).default([]),
})

export const ContractResultsResponse = z.looseObject({
  stored: z.number(),
  outdated: z.array(z.string()),
  instances: z.number(),
  otherCode: z.array(z.object({ label: z.string(), instances: z.number() })),
})
export type ContractResultsResponse = z.infer<typeof ContractResultsResponse>

export const AuditResponse = z.looseObject({
  entries: z.array(
    z.looseObject({
      at: z.string(),
      who: z.string(),
      scope: z.string(),
      action: z.string(),
      /** `native -> canary at 5 %`; empty for a change that is not about a route. */
      move: z.string().default(''),
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
