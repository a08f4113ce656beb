import { DrizzleQueryError } from 'drizzle-orm'

// PostgreSQL's SQLSTATE 23505, unique_violation
const uniqueViolation = '23505'

const isViolation = (index: string, error: unknown) =>
  error instanceof DrizzleQueryError &&
  error.cause !== undefined &&
  Reflect.get(error.cause, 'code') === uniqueViolation &&
  Reflect.get(error.cause, 'constraint_name') === index

/**
 * The result of a statement, or null when it violates the unique index. PostgreSQL has then aborted the transaction
 * around it: nothing else can be done in it but throw.
 */
export const nullOnUniqueViolation = async <T>(index: string, statement: Promise<T>): Promise<T | null> => {
  try {
    return await statement
  } catch (error) {
    if (isViolation(index, error)) return null
    throw error
  }
}
