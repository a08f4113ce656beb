import * as z from 'zod'

const RowCount = z.object({
  state: z.string(),
  name: z.string(),
  rows: z.number(),
})

const RowCounts = z.object({ states: z.array(RowCount), held: z.number() })

const Move = z.object({
  label: z.string(),
  from: z.string(),
  to: z.string(),
  at: z.string(),
  who: z.string(),
  reason: z.string(),
  steps: z.number(),
})

const Stop = z.object({
  at: z.string(),
  who: z.string(),
  scope: z.string(),
  action: z.string(),
  from: z.string(),
  to: z.string(),
  reason: z.string(),
  resumedAt: z.string().nullable(),
})

/** A number of core requests; null if the counts from that time have been deleted. */
const Requests = z.number().nullable()

const RemainingRoute = z.object({
  label: z.string(),
  state: z.string(),
  requests: Requests,
  causes: z.array(z.object({ cause: z.string(), requests: z.number() })),
  obstacles: z.array(z.string()),
})

const Remaining = z.object({
  rows: z.number(),
  areas: z.array(z.object({ area: z.string(), requests: Requests, routes: z.array(RemainingRoute) })),
  nativeWithCoreRequests: z.array(RemainingRoute),
  unmatchedRequests: Requests,
})

/** How far the migration has come, and what moved in one month (UTC). */
export const MigrationReport = z.object({
  month: z.string(),
  madeAt: z.string(),
  /** The moment that the report describes: the month's end, or the time it was made if that is earlier. */
  reportTime: z.string(),
  rows: z.number(),
  summary: RowCounts,
  days: z.array(RowCounts.extend({ day: z.string() })),
  moves: z.array(Move),
  stops: z.array(Stop),
  remaining: Remaining,
  sentences: z.object({ summary: z.array(z.string()), limits: z.array(z.string()) }),
})
export type MigrationReport = z.infer<typeof MigrationReport>
