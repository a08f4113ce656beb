import * as z from 'zod'

const Index = z.int().min(0)

/** A masked request. */
export const RecordedRequest = z.strictObject({
  method: z.string(),
  /** The path from the route table, with its parameters' names, plus the query string. */
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
})
export type RecordedRequest = z.infer<typeof RecordedRequest>

const RecordedSide = z.strictObject({
  /** Index of the masked response in the run's responses. */
  response: Index,
  durationMs: z.number().min(0).nullable(),
})

/**
 * A request and both responses, as indexes in the run's lists. Equal requests or responses occur only once in those
 * lists.
 */
export const Recording = z.strictObject({
  /** Index in the run's requests. */
  request: Index,
  native: RecordedSide,
  core: RecordedSide,
})
export type Recording = z.infer<typeof Recording>

/** A run's distinct requests and responses. */
export interface Recordings {
  readonly requests: RecordedRequest[]
  readonly responses: string[]
}
