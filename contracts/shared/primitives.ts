import * as z from 'zod'

const codePoints = (text: string) => [...text].length
const isControl = (character: string) => character < ' '
const isControlWithinLines = (character: string) =>
  isControl(character) && character !== '\n' && character !== '\t'

// A control character or half a surrogate pair would be refused or changed by the database.
const storableText = (isForbidden: (character: string) => boolean, max: number) =>
  z
    .string()
    .refine((text) => codePoints(text) <= max, { error: `must be at most ${max} characters` })
    .refine((text) => !Array.from(text).some(isForbidden), { error: 'must not contain control characters' })
    .refine((text) => text.isWellFormed(), { error: 'must be well-formed Unicode' })
    .meta({ maxLength: max })

/** An opaque identifier. */
export const Id = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/)
  .meta({ format: 'id' })

/** Text of 1 to `max` code points after trimming, on one line. */
export const Str = (max: number) =>
  z
    .string()
    .trim()
    .min(1, { error: 'must not be empty' })
    .pipe(storableText(isControl, max))
    .meta({ maxLength: max })

/** Text of `min` to `max` code points as it was sent, on one line. */
export const Line = (min: number, max: number) =>
  storableText(isControl, max)
    .refine((text) => codePoints(text) >= min, { error: `must be at least ${min} characters` })
    .meta({ minLength: min })

/** Text of 0 to `max` code points as it was sent; it may hold line feeds and tabs. */
export const LongText = (max: number) => storableText(isControlWithinLines, max)

const storablePart = (text: string, max: number) => {
  const kept = Array.from(text.toWellFormed()).filter((character) => !isControl(character))
  return Array.from(kept.join('').trim()).slice(0, max).join('')
}

/** Text nobody is refused for: control characters dropped, trimmed, cut to `max` code points, empty is absent. */
export const TruncatedText = (max: number) =>
  z.string().transform((text) => storablePart(text, max) || undefined)

/** A moment in UTC with milliseconds, as every answer writes it. */
export const Timestamp = z.iso.datetime({ precision: 3 }).meta({ format: 'timestamp' })

// RFC 3339 section 5.6: the seconds and an offset are required. A calendar day that does not exist is refused.
const rfc3339 =
  /^(\d{4}-\d{2}-\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const isCalendarDay = (day: string) => {
  const parsed = new Date(`${day}T00:00:00Z`)
  return !day.startsWith('0000') && !Number.isNaN(parsed.valueOf()) && parsed.toISOString().startsWith(day)
}

/** Any RFC 3339 moment with an offset or `Z`; parsed into the form of {@link Timestamp}. */
export const TimestampInput = z
  .string()
  .refine((text) => isCalendarDay(rfc3339.exec(text)?.[1] ?? ''), {
    error: 'must be an RFC 3339 timestamp with an offset',
    abort: true,
  })
  .transform((text) => new Date(text).toISOString())
  .refine((text) => /^(?!0000)\d{4}-/.test(text), { error: 'must lie in the years 0001 to 9999' })
  .meta({ format: 'timestamp-input' })

/** A real calendar date, `YYYY-MM-DD`. */
export const DateOnly = z.iso
  .date({ error: 'must be a real calendar date as YYYY-MM-DD', abort: true })
  .refine((day) => !day.startsWith('0000'), { error: 'must lie in the years 0001 to 9999', abort: true })
  .meta({ format: 'date' })

/** 0 to 100, kept to four decimals. */
export const Percent = z.number().min(0).max(100)

/** A count of things or a length that cannot be negative. */
export const Count = z.int().min(0)

/** A position or length in milliseconds as a caller sends it; the bound keeps it within 32 bits. */
export const Milliseconds = z.int().min(0).max(2_147_483_647)

/** The account of another person, as a caller names it. */
export const AccountId = Str(128)

// What RFC 5322 section 3.2.3 lets stand without quotes, at a domain with a dot; a last label may be an IDN's (`xn--`).
const emailAddress =
  /^(?!\.)(?!.*\.\.)[a-z0-9_.!#$%&'*+/=?^`{|}~-]*[a-z0-9_!#$%&'*+/=?^`{|}~-]@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

/** An e-mail address as it is compared and stored: lower case. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email({ pattern: emailAddress }))

// No other scheme: the address of an object inside the store must not pass for one a caller may open.
const webAddress = { protocol: /^https?$/ }

/** An absolute address whose value belongs to its holder and is never compared or logged as it is. */
export const SignedUrl = z.url(webAddress).meta({ format: 'signed-url' })

/** An absolute address. */
export const AbsoluteUrl = z.url(webAddress)

/** An opaque position in a paged list. */
export const Cursor = z.string().min(1).max(512).meta({ format: 'cursor' })

/** A secret shown to its owner once. */
export const Token = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43,}$/)
  .meta({ format: 'token' })

/** The last four characters of a token: enough to tell links apart, too little to use one. */
export const TokenPreview = z
  .string()
  .regex(/^[A-Za-z0-9_-]{4}$/)
  .meta({ format: 'token' })

/** The page of an app that opens a link; it ends with the token and is as secret. */
export const SharePath = (folder: string) =>
  z
    .string()
    .regex(new RegExp(`^/share/${folder}/[A-Za-z0-9_-]{43,}$`))
    .meta({ format: 'token' })

/** One of the known words or one added later: a caller must expect words it does not know. */
export const openEnum = (known: readonly [string, ...string[]]) =>
  z
    .string()
    .regex(/^[a-z][a-z0-9_.-]{0,63}$/)
    .meta({ openEnum: known, description: `One of ${known.join(', ')}; more may be added.` })

/** A change of a record: every field may be absent (unchanged), at least one known field is required. */
export const changeOf = <S extends z.ZodRawShape>(fields: S) =>
  z
    .object(fields)
    .partial()
    .refine((change) => Object.values(change).some((value) => value !== undefined), {
      error: `at least one of ${Object.keys(fields).join(', ')} is required`,
    })

/** A list of records that fits one answer. */
export const records = <T extends z.ZodType>(record: T) => z.object({ records: z.array(record) })

/** A list of records with the position of the next page, `null` on the last. */
export const page = <T extends z.ZodType>(record: T) =>
  records(record).extend({ nextCursor: Cursor.nullable() })

/** An array whose elements are told apart by one of their fields rather than by position. */
export const keyedArray = <T extends z.ZodType>(element: T, key: string) =>
  z.array(element).meta({ keyedBy: key })
