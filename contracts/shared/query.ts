import * as z from 'zod'
import { Cursor, TruncatedText } from './primitives.ts'

const firstOfEach = (query: unknown) =>
  query instanceof Object
    ? Object.fromEntries(
        Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
      )
    : query

/** The query string of a route. Of a name given several times the first value counts, the others are ignored. */
export const query = <T extends z.ZodType>(schema: T) => z.preprocess(firstOfEach, schema)

const wholeNumber = /^(0|[1-9]\d{0,9})$/

/** A query value that holds a whole number from `min` to `max`. */
export const QueryInteger = (min: number, max: number) =>
  z
    .string()
    .regex(wholeNumber, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(z.int().min(min).max(max))

/** A query value of exactly `true` or `false`; absent is false. */
export const QueryFlag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((flag) => flag === 'true')

/** The fields that ask for one page of a list. */
export const paging = ({ max, usual }: { readonly max: number; readonly usual: number }) => ({
  limit: QueryInteger(1, max).default(usual),
  cursor: Cursor.optional(),
})

const usualSource = 'pack_link'

/** Who visits and where from, for the owner's statistics; what does not fit is cut rather than refused. */
export const visitor = {
  visitorId: TruncatedText(120).optional(),
  sessionId: TruncatedText(120).optional(),
  source: TruncatedText(120)
    .default(usualSource)
    .transform((source) => source ?? usualSource),
}

/** The code of a gated pack link; empty counts as absent. */
export const accessCode = z
  .string()
  .transform((code) => code || undefined)
  .optional()
