import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import { boolean, customType, text } from 'drizzle-orm/pg-core'

const hoursOnly = /[+-]\d\d$/
const secondsEnd = 19
const [dash, colon] = ['-', ':'].map((sign) => sign.charCodeAt(0))

// PostgreSQL prints `2025-01-31 08:00:00.5+00`, with no `T`, no trailing zeros and no minutes in the offset.
const toIso = (printed: string) => {
  // A fast path for four-digit years in UTC, which all sessions use. It saves a `Date` per timestamp.
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

/** A timestamp with millisecond precision, read and written as `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const timestamp = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
  fromDriver: toIso,
})

export const id = () => text().primaryKey()

export const timestamps = () => ({
  createdAt: timestamp().notNull().default(sql`now()`),
  updatedAt: timestamp().notNull().default(sql`now()`),
})

export const flag = () => boolean().notNull().default(false)

export const isOneOf = (column: AnyColumn, values: readonly string[]): SQL =>
  sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`
