import { DrizzleQueryError } from 'drizzle-orm'

// PostgreSQL, appendix A (error codes).
const uniqueViolation = '23505'

// PostgreSQL reports the name of a unique index as `constraint_name`, even without a constraint.
const isViolation = (indexName: string, error: unknown) =>
  error instanceof DrizzleQueryError &&
  error.cause !== undefined &&
  Reflect.get(error.cause, 'code') === uniqueViolation &&
  Reflect.get(error.cause, 'constraint_name') === indexName

/**
 * Returns the result of the statement, or null if it violates the unique index `indexName`. PostgreSQL has then aborted
 * the transaction, so the caller must throw to roll it back.
 */
export const nullOnUniqueViolation = async <T>(
  indexName: string,
  statement: Promise<T>,
): Promise<T | null> => {
  try {
    return await statement
  } catch (error) {
    if (isViolation(indexName, error)) return null
    throw error
  }
}
