import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { CoreError, invalid } from './core-error.ts'

const length = (text: string) => Array.from(text).length

// PostgreSQL stores neither NUL nor half a surrogate pair; the other C0 characters are refused with them.
const storable = (text: string, lineBreaks: string) =>
  text.isWellFormed() && !Array.from(text).some((char) => char < ' ' && !lineBreaks.includes(char))

/** One line of `min` to `max` code points, trimmed. */
export const line = (min: number, max: number) =>
  z
    .string('expected a string')
    .trim()
    .refine((text) => length(text) >= min && length(text) <= max, `expected ${min} to ${max} characters`)
    .refine((text) => storable(text, ''), 'control characters are not allowed')

/** One line of `min` to `max` code points, exactly as it was sent. */
export const exactLine = (min: number, max: number) =>
  z
    .string('expected a string')
    .refine((text) => length(text) >= min && length(text) <= max, `expected ${min} to ${max} characters`)
    .refine((text) => storable(text, ''), 'control characters are not allowed')

/** Up to `max` code points, with line feeds and tabs. */
export const paragraphs = (max: number) =>
  z
    .string('expected a string')
    .refine((text) => length(text) <= max, `expected at most ${max} characters`)
    .refine((text) => storable(text, '\n\t'), 'control characters are not allowed')

const idPattern = /^[A-Za-z0-9_-]{1,128}$/

export const id = z.string('expected a string').regex(idPattern, 'expected an id')

const noDotsAstray = /^(?!\.)(?!.*\.[.@])/
const topLevelDomain = /\.[a-z][a-z0-9-]*[a-z0-9]$/

const isAddress = (text: string) =>
  z.regexes.html5Email.test(text) && noDotsAstray.test(text) && topLevelDomain.test(text)

export const email = z
  .string('expected a string')
  .trim()
  .toLowerCase()
  .max(254, 'expected at most 254 characters')
  .refine(isAddress, 'expected an e-mail address')

const realDay = (day: string) => {
  const moment = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 10) === day
}

export const day = z
  .string('expected a string')
  .regex(/^(?!0000)\d{4}-\d{2}-\d{2}$/, { error: 'expected a date as YYYY-MM-DD', abort: true })
  .refine(realDay, 'no such day')

// RFC 3339, section 5.6, with the offset it requires. Date alone would roll 30 February over into March.
const moment =
  /^(?!0000)(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

/** A moment with its offset, still to come when the request arrives. */
export const futureMoment = z
  .string('expected a string')
  .refine((text) => realDay(moment.exec(text)?.[1] ?? ''), 'expected an RFC 3339 timestamp with an offset')
  .transform((text) => new Date(text.toUpperCase()))
  .refine((date) => date.getTime() > Date.now(), 'must be in the future')
  .refine((date) => date.getTime() <= Date.UTC(9999, 11, 31, 23, 59, 59, 999), 'lies too far ahead')

/** One fault for each field that a strict body does not know, by its name. */
const faultsOf = (issue: z.core.$ZodIssue) => {
  const { path, message } = issue
  const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path]
  return paths.map((found) => ({ path: found.join('.'), message }))
}

const check = <T extends z.ZodType>(schema: T, value: unknown): z.output<T> => {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw invalid(result.error.issues.flatMap(faultsOf))
}

const parseJson = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new CoreError('invalid_json', { message: 'the body is not valid JSON' })
  }
}

/** The JSON body as `schema` reads it. It is called by handlers, after the ownership checks that go before it. */
export const readBody = <T extends z.ZodType>(request: FastifyRequest, schema: T): z.output<T> =>
  check(schema, Buffer.isBuffer(request.body) && request.body.length > 0 ? parseJson(request.body) : {})

const firstOfEach = (query: unknown) =>
  Object.fromEntries(
    Object.entries(query ?? {}).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  )

/** The query as `schema` reads it; of a name that is there several times the first value counts. */
export const readQuery = <T extends z.ZodType>(request: FastifyRequest, schema: T): z.output<T> =>
  check(schema, firstOfEach(request.query))

/** An id as it was given, or null for what cannot be one and so names nothing. */
export const idOrNull = (value: unknown): string | null =>
  typeof value === 'string' && idPattern.test(value) ? value : null

/** An id from the path, or null. */
export const pathId = (request: FastifyRequest, name: string): string | null => {
  const { params } = request
  return params && typeof params === 'object' ? idOrNull(Reflect.get(params, name)) : null
}
