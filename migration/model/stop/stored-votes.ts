import { z } from 'zod'
import { maxVoters, maxVotersOfReport, rejectionKinds } from './votes.ts'

// Separate from the code that counts votes, because instances on Workers count votes but do not store any.
const count = z.int().nonnegative()

const StoredSideVotes = z.object({
  served: count,
  rejected: z.partialRecord(z.enum(rejectionKinds), z.array(count.max(maxVoters - 1)).max(maxVotersOfReport)),
})

/** `UsualVotes`, as stored. */
export const StoredUsualVotes = z.object({
  served: count,
  rejected: z.partialRecord(z.enum(rejectionKinds), count),
})

/** `ReportedVotes`, as stored. */
export const StoredReportedVotes = z.object({
  native: StoredSideVotes,
  core: StoredSideVotes,
  usual: StoredUsualVotes.nullable(),
  isAlone: z.boolean(),
})
