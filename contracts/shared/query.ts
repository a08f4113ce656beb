import * as z from 'zod'
import { Cursor, TruncatedText } from './primitives.ts'

const selectFirstValues = (query: unknown) =>
  query instanceof Object
    ? Object.fromEntries(
        Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
      )
    : query

/** If a name is repeated, the first value counts. */
export const query = <T extends z.ZodType>(schema: T) => z.preprocess(selectFirstValues, schema)

const wholeNumber = /^(0|[1-9]\d{0,9})$/

const QueryInteger = (min: number, max: number) =>
  z
    .string()
    .regex(wholeNumber, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(z.int().min(min).max(max))

export const QueryFlag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((flag) => flag === 'true')

export const paging = ({
  maxLimit,
  defaultLimit,
}: {
  readonly maxLimit: number
  readonly defaultLimit: number
}) => ({
  limit: QueryInteger(1, maxLimit).default(defaultLimit),
  cursor: Cursor.optional(),
})

/** Clients sent these fields before they had a meaning, so invalid values are ignored. */
export const optionalPaging = {
  limit: QueryInteger(1, 100).optional().catch(undefined),
  cursor: Cursor.optional().catch(undefined),
}

export interface OptionalPaging {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

const defaultSource = 'pack_link'

export const visitorFields = {
  visitorId: TruncatedText(120).optional(),
  sessionId: TruncatedText(120).optional(),
  source: TruncatedText(120)
    .default(defaultSource)
    .transform((source) => source ?? defaultSource),
}

export const accessCode = z
  .string()
  .transform((code) => code || undefined)
  .optional()
