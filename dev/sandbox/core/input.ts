import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { CoreError, invalid } from './core-error.ts'

const countCodePoints = (text: string) => Array.from(text).length

// PostgreSQL cannot store NUL or a lone surrogate. The other C0 characters are rejected too.
const isStorable = (text: string, lineBreaks: string) =>
  text.isWellFormed() && !Array.from(text).some((char) => char < ' ' && !lineBreaks.includes(char))

const line = (text: z.ZodString, min: number, max: number) =>
  text
    .refine(
      (text) => countCodePoints(text) >= min && countCodePoints(text) <= max,
      `expected ${min} to ${max} characters`,
    )
    .refine((text) => isStorable(text, ''), 'control characters are not allowed')

/** One line of `min` to `max` code points, trimmed. */
export const singleLineText = (min: number, max: number) =>
  line(z.string('expected a string').trim(), min, max)

/** One line of `min` to `max` code points, not trimmed. */
export const exactLine = (min: number, max: number) => line(z.string('expected a string'), min, max)

/** Up to `max` code points. Line feeds and tabs are allowed. */
export const multilineText = (max: number) =>
  z
    .string('expected a string')
    .refine((text) => countCodePoints(text) <= max, `expected at most ${max} characters`)
    .refine((text) => isStorable(text, '\n\t'), 'control characters are not allowed')

const idPattern = /^[A-Za-z0-9_-]{1,128}$/

export const id = z.string('expected a string').regex(idPattern, 'expected an id')

const noMisplacedDots = /^(?!\.)(?!.*\.[.@])/
const topLevelDomain = /\.[a-z][a-z0-9-]*[a-z0-9]$/

const isEmailAddress = (text: string) =>
  z.regexes.html5Email.test(text) && noMisplacedDots.test(text) && topLevelDomain.test(text)

// Matches only ASCII letters, because `toLowerCase` also turns U+212A into `k`.
const foldAscii = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** An email address as it is compared and stored. Surrounding spaces are not allowed. */
export const exactEmail = z
  .string('expected a string')
  .overwrite(foldAscii)
  .max(254, 'expected at most 254 characters')
  .refine(isEmailAddress, 'expected an e-mail address')

export const email = z.string('expected a string').trim().pipe(exactEmail)

const isCalendarDate = (day: string) => {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === day
}

export const day = z
  .string('expected a string')
  .regex(/^(?!0000)\d{4}-\d{2}-\d{2}$/, { error: 'expected a date as YYYY-MM-DD', abort: true })
  .refine(isCalendarDate, 'no such day')

// RFC 3339, section 5.6, with an offset. `Date` alone would turn 30 February into a day in March.
const timestamp =
  /^(?!0000)(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

export const futureMoment = z
  .string('expected a string')
  .refine(
    (text) => isCalendarDate(timestamp.exec(text)?.[1] ?? ''),
    'expected an RFC 3339 timestamp with an offset',
  )
  .transform((text) => new Date(text.toUpperCase()))
  .refine((date) => date.getTime() > Date.now(), 'must be in the future')
  .refine((date) => date.getTime() <= Date.UTC(9999, 11, 31, 23, 59, 59, 999), 'lies too far ahead')

/** Splits an issue about unknown fields of a strict object into one issue for each field. */
const toIssues = (issue: z.core.$ZodIssue) => {
  const { path, message } = issue
  const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path]
  return paths.map((segments) => ({ path: segments.join('.'), message }))
}

const parseOrThrow = <T extends z.ZodType>(schema: T, value: unknown): z.output<T> => {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw invalid(result.error.issues.flatMap(toIssues))
}

const parseJson = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new CoreError('invalid_json', { message: 'the body is not valid JSON' })
  }
}

/** Call it after the ownership checks. */
export const readBody = <T extends z.ZodType>(request: FastifyRequest, schema: T): z.output<T> =>
  parseOrThrow(
    schema,
    Buffer.isBuffer(request.body) && request.body.length > 0 ? parseJson(request.body) : {},
  )

const takeFirstValues = (query: unknown) =>
  Object.fromEntries(
    Object.entries(query ?? {}).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  )

/** If a parameter is repeated, its first value counts. */
export const readQuery = <T extends z.ZodType>(request: FastifyRequest, schema: T): z.output<T> =>
  parseOrThrow(schema, takeFirstValues(request.query))

export const idOrNull = (value: unknown): string | null =>
  typeof value === 'string' && idPattern.test(value) ? value : null

export const pathId = (request: FastifyRequest, name: string): string | null => {
  const { params } = request
  return params && typeof params === 'object' ? idOrNull(Reflect.get(params, name)) : null
}
