import { Id } from '#contracts/shared/primitives.ts'

/**
 * Whether a path segment is a valid id. Any other segment is not found without a query, because PostgreSQL rejects some
 * bytes with an error.
 */
export const isId = (segment: string | undefined): segment is string => Id.safeParse(segment).success
