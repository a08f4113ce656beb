import * as z from 'zod'
import { Issue } from './errors.ts'
import { defineContract } from './shared/contract.ts'
import { Percent, Timestamp } from './shared/primitives.ts'

const RightsEntry = z.object({
  collaboratorId: z.string(),
  name: z.string(),
  role: z.string().nullable(),
  mechanical: Percent,
  performance: Percent,
  sync: Percent,
})

/** A placeholder, empty for every track. The split sheet records ownership. */
const Rights = z.object({
  entries: z.array(RightsEntry).max(0),
  status: z.object({
    isComplete: z.literal(false),
    validationErrors: z.array(Issue).max(0),
    validatedAt: Timestamp,
  }),
})

export const detail = defineContract('tracks.rights.detail', {
  responses: { 200: Rights },
})
