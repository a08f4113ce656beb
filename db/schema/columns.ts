import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import { boolean, customType, text } from 'drizzle-orm/pg-core'

const hoursOnly = /[+-]\d\d$/
const secondsEnd = 19
const [dash, colon] = ['-', ':'].map((sign) => sign.charCodeAt(0))

// PostgreSQL prints `2025-01-31 08:00:00.5+00`: without the `T`, without zeros at the end, the offset without minutes.
const toIso = (printed: string) => {
  // A moment of our sessions, which are in UTC, of a year with four digits: most rows hold several, so no date is made.
  if (
    printed.charCodeAt(4) === dash &&
    printed.charCodeAt(secondsEnd - 3) === colon &&
    printed.endsWith('+00')
  ) {
    const fraction = printed.slice(secondsEnd, -3) || '.'
    return `${printed.slice(0, 10)}T${printed.slice(11, secondsEnd)}${fraction.padEnd(4, '0')}Z`
  }
  const withT = printed.replace(' ', 'T')
  return new Date(hoursOnly.test(withT) ? `${withT}:00` : withT).toISOString()
}

/** A moment kept to the millisecond, read and written as `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const timestamp = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
  fromDriver: toIso,
})

/** An identifier made by the application, never by the database. */
export const id = () => text().primaryKey()

/** When the row was made and when it last changed. */
export const times = () => ({
  createdAt: timestamp().notNull().default(sql`now()`),
  updatedAt: timestamp().notNull().default(sql`now()`),
})

/** A flag that is off unless somebody sets it. */
export const flag = () => boolean().notNull().default(false)

/** The condition that a column holds one of these words. */
export const oneOf = (column: AnyColumn, words: readonly string[]): SQL =>
  sql`${column} in (${sql.raw(words.map((word) => `'${word}'`).join(', '))})`
