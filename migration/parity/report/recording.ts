import * as z from 'zod'

const Index = z.int().min(0)

/** A masked request. */
export const RecordedRequest = z.strictObject({
  method: z.string(),
  /** The route table's path with its parameters, plus the query string. */
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
})
export type RecordedRequest = z.infer<typeof RecordedRequest>

const RecordedSide = z.strictObject({
  /** Position of the masked response in the run's responses. */
  response: Index,
  durationMs: z.number().min(0).nullable(),
})

/** A request and both responses, as positions in the run's lists, where equal ones occur once. */
export const Recording = z.strictObject({
  /** Position in the run's requests. */
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
