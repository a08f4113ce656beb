import * as z from 'zod'
import { visitor } from './query.ts'

const longest = 2_147_483_647

// A page's player may say anything; what is beyond every recording counts as the longest that is kept.
const Reported = (min: number) =>
  z
    .int()
    .min(min)
    .transform((ms) => Math.min(ms, longest))

/** What a visitor's page reports of a shared track; `{}` says that it was shared. */
export const ShareEvent = z.object({
  ...visitor,
  eventType: z.enum(['shared', 'viewed', 'played', 'progress', 'completed']).default('shared'),
  channel: z.enum(['copy_link', 'native_share', 'email', 'sms', 'social', 'qr', 'embed', 'other']).optional(),
  positionMs: Reported(0).optional(),
  durationMs: Reported(1).optional(),
})

/** Whatever became of the event, the visitor's page has nothing to do about it. */
export const Recorded = z.object({ ok: z.literal(true) })
