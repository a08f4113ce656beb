import * as z from 'zod'

const Index = z.int().min(0)

/** A masked request. */
export const RecordedRequest = z.strictObject({
  method: z.string(),
  /** The path of the route table, with its parameters, and the query string. */
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
})
export type RecordedRequest = z.infer<typeof RecordedRequest>

const RecordedSide = z.strictObject({
  /** The position of the masked response in the responses of the run. */
  response: Index,
  durationMs: z.number().min(0).nullable(),
})

/** A request and both responses, as positions in the lists of the run, in which equal ones occur once. */
export const Recording = z.strictObject({
  /** The position in the requests of the run. */
  request: Index,
  native: RecordedSide,
  core: RecordedSide,
})
export type Recording = z.infer<typeof Recording>

/** The distinct requests and responses of a run. */
export interface Recordings {
  readonly requests: RecordedRequest[]
  readonly responses: string[]
}
