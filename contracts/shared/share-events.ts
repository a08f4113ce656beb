import * as z from 'zod'
import { Milliseconds } from './primitives.ts'
import { visitor } from './query.ts'

/** What a visitor's page reports of a shared track; `{}` says that it was shared. */
export const ShareEvent = z.object({
  ...visitor,
  eventType: z.enum(['shared', 'viewed', 'played', 'progress', 'completed']).default('shared'),
  channel: z.enum(['copy_link', 'native_share', 'email', 'sms', 'social', 'qr', 'embed', 'other']).optional(),
  positionMs: Milliseconds.optional(),
  durationMs: Milliseconds.min(1).optional(),
})

/** Whatever became of the event, the visitor's page has nothing to do about it. */
export const Recorded = z.object({ ok: z.literal(true) })
