import * as z from 'zod'

const codePoints = (text: string) => [...text].length
const isControl = (character: string) => character < ' '
const isControlWithinLines = (character: string) =>
  isControl(character) && character !== '\n' && character !== '\t'

// The database would reject or change control characters and lone surrogates.
const storableText = (isForbidden: (character: string) => boolean, max: number) =>
  z
    .string()
    .refine((text) => codePoints(text) <= max, { error: `must be at most ${max} characters` })
    .refine((text) => !Array.from(text).some(isForbidden), { error: 'must not contain control characters' })
    .refine((text) => text.isWellFormed(), { error: 'must be well-formed Unicode' })
    .meta({ maxLength: max })

export const Id = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/)
  .meta({ format: 'id' })

/**
 * Whether a path segment is a valid id. If it is not, the resource counts as not found without a query, because
 * PostgreSQL rejects some bytes.
 */
export const isId = (segment: string | undefined): segment is string => Id.safeParse(segment).success

// Not `min(1)`, which zod also checks for an empty list. The list would then have two issues.
const trimmedText = z
  .string()
  .trim()
  .refine((text) => text !== '', { error: 'must not be empty' })

/** Text of 1 to `max` code points after trimming, on one line. */
export const Str = (max: number) =>
  trimmedText.pipe(storableText(isControl, max)).meta({ minLength: 1, maxLength: max })

/** Text of `min` to `max` code points on one line, not trimmed. */
export const Line = (min: number, max: number) =>
  storableText(isControl, max)
    .refine((text) => codePoints(text) >= min, { error: `must be at least ${min} characters` })
    .meta({ minLength: min })

/** Text of 0 to `max` code points, not trimmed. May contain line feeds and tabs. */
export const LongText = (max: number) => storableText(isControlWithinLines, max)

/** Like {@link LongText}, of 1 to `max` code points after trimming. */
export const TrimmedLongText = (max: number) =>
  trimmedText.pipe(LongText(max)).meta({ minLength: 1, maxLength: max })

const truncateText = (text: string, max: number) => {
  const printable = Array.from(text.toWellFormed()).filter((character) => !isControl(character))
  return Array.from(printable.join('').trim()).slice(0, max).join('')
}

/**
 * Control characters are removed, the rest is trimmed and cut to `max` code points, and empty text becomes undefined.
 */
export const TruncatedText = (max: number) =>
  z.string().transform((text) => truncateText(text, max) || undefined)

export const Timestamp = z.iso.datetime({ precision: 3 }).meta({ format: 'timestamp' })

// RFC 3339, section 5.6: seconds and an offset are required.
const rfc3339 =
  /^(\d{4}-\d{2}-\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const isCalendarDay = (day: string) => {
  const parsed = new Date(`${day}T00:00:00Z`)
  return !day.startsWith('0000') && !Number.isNaN(parsed.valueOf()) && parsed.toISOString().startsWith(day)
}

/** An RFC 3339 timestamp with an offset or `Z`, on a real calendar day. Parsed into a {@link Timestamp}. */
export const TimestampInput = z
  .string()
  .refine((text) => isCalendarDay(rfc3339.exec(text)?.[1] ?? ''), {
    error: 'must be an RFC 3339 timestamp with an offset',
    abort: true,
  })
  .transform((text) => new Date(text).toISOString())
  .refine((text) => /^(?!0000)\d{4}-/.test(text), { error: 'must have a year from 0001 to 9999' })
  .meta({ format: 'timestamp-input' })

export const DateOnly = z.iso
  .date({ error: 'must be a real calendar date in the form YYYY-MM-DD', abort: true })
  .refine((day) => !day.startsWith('0000'), { error: 'must have a year from 0001 to 9999', abort: true })
  .meta({ format: 'date' })

export const Percent = z.number().min(0).max(100)

export const Count = z.int().min(0)

export const Milliseconds = z.int().min(0).max(2_147_483_647)

export const AccountId = Str(128)

// No other schemes: an internal address such as `s3://bucket/key` must not reach a client.
const httpUrl = { protocol: /^https?$/ }

/** Its value is never compared or logged. */
export const SignedUrl = z.url(httpUrl).meta({ format: 'signed-url' })

export const AbsoluteUrl = z.url(httpUrl)

export const Cursor = z.string().min(1).max(512).meta({ format: 'cursor' })

export const Token = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43,}$/)
  .meta({ format: 'token' })

/** The last four characters of a token. They identify a link to its owner without granting access. */
export const TokenPreview = z
  .string()
  .regex(/^[A-Za-z0-9_-]{4}$/)
  .meta({ format: 'token' })

/** The path of the app page that opens a link. It ends with the token and is just as secret. */
export const SharePath = (folder: string) =>
  z
    .string()
    .regex(new RegExp(`^/share/${folder}/[A-Za-z0-9_-]{43,}$`))
    .meta({ format: 'token' })

/** One of the known values, or one added later: clients must accept values they do not know. */
export const openEnum = (known: readonly [string, ...string[]]) =>
  z
    .string()
    .regex(/^[a-z][a-z0-9_.-]{0,63}$/)
    .meta({ openEnum: known, description: `One of ${known.join(', ')}; more may be added.` })

export const partialUpdate = <S extends z.ZodRawShape>(fields: S) =>
  z
    .object(fields)
    .partial()
    .refine((change) => Object.values(change).some((value) => value !== undefined), {
      error: `must contain at least one of ${Object.keys(fields).join(', ')}`,
    })
    .meta({ minProperties: 1 })

export const records = <T extends z.ZodType>(record: T) => z.object({ records: z.array(record) })

/** `nextCursor` is `null` on the last page. */
export const page = <T extends z.ZodType>(record: T) =>
  records(record).extend({ nextCursor: Cursor.nullable() })

/** Only in a list with `optionalPaging` that the client pages; `null` on the last page. */
export const optionalNextCursor = { nextCursor: Cursor.nullable().optional() }

/** A list returned whole unless the client pages it with `optionalPaging`. */
export const pageableRecords = <T extends z.ZodType>(record: T) => records(record).extend(optionalNextCursor)
