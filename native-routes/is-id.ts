import { Id } from '#contracts/shared/primitives.ts'

/**
 * Whether a path's segment can name anything at all. What cannot is not found without asking the database, which
 * would refuse some bytes with an error of its own.
 */
export const isId = (segment: string | undefined): segment is string => Id.safeParse(segment).success
