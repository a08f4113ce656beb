import * as z from 'zod'

/** The last row of a page. The database stores milliseconds, so a `Date` is exact. */
export interface Position {
  readonly createdAt: Date
  readonly id: string
}

const position = /^(\d{1,13}) ([A-Za-z0-9_-]{1,128})$/

export const encodeCursor = ({ createdAt, id }: Position) =>
  Buffer.from(`${createdAt.getTime()} ${id}`).toString('base64url')

const decodeCursor = (cursor: string): Position | null => {
  const [, millis, id] = position.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return millis !== undefined && id !== undefined ? { createdAt: new Date(Number(millis)), id } : null
}

const pageSize = z
  .string('expected one value')
  .regex(/^[1-9]\d{0,2}$/, 'expected 1 to 200')
  .transform(Number)
  .refine((limit) => limit <= 200, 'expected 1 to 200')

const cursor = z.string('expected one value').transform((text, context) => {
  const decoded = decodeCursor(text)
  if (decoded) return decoded
  context.addIssue('not a cursor for this list')
  return z.NEVER
})

export const pageQuery = z.object({ limit: pageSize.default(50), cursor: cursor.optional() })
