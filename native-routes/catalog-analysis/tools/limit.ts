import * as z from 'zod'

/** How many records a tool returns at most: a model pays for each. */
export const maxListed = 50

/** How many records the caller of a tool wants. */
export const Limit = z.int().min(1).max(maxListed).default(20)
