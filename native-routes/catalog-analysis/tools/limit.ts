import * as z from 'zod'

/** The maximum number of records a tool returns; each one costs model tokens. */
export const maxListed = 50

export const Limit = z.int().min(1).max(maxListed).default(20)
