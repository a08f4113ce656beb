import { DrizzleQueryError } from 'drizzle-orm'

// PostgreSQL's SQLSTATE 23505, unique_violation
const uniqueViolation = '23505'

const isViolationOf = (index: string, error: unknown) =>
  error instanceof DrizzleQueryError &&
  error.cause !== undefined &&
  Reflect.get(error.cause, 'code') === uniqueViolation &&
  Reflect.get(error.cause, 'constraint_name') === index

/**
 * The result of a statement, or null when the unique index refused it. PostgreSQL has then given up the
 * transaction around it: all that is left to do in there is to throw.
 */
export const nullOnUniqueViolation = async <T>(index: string, statement: Promise<T>): Promise<T | null> => {
  try {
    return await statement
  } catch (error) {
    if (isViolationOf(index, error)) return null
    throw error
  }
}
