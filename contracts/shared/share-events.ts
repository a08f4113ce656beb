import * as z from 'zod'
import { visitorFields } from './query.ts'

const maxMs = 2_147_483_647

// A player may report any number. Values beyond a 32-bit integer are clamped.
const ClampedMs = (min: number) =>
  z
    .int()
    .min(min)
    .transform((ms) => Math.min(ms, maxMs))

/** `{}` is a `shared` event. */
export const ShareEvent = z.object({
  ...visitorFields,
  eventType: z.enum(['shared', 'viewed', 'played', 'progress', 'completed']).default('shared'),
  channel: z.enum(['copy_link', 'native_share', 'email', 'sms', 'social', 'qr', 'embed', 'other']).optional(),
  positionMs: ClampedMs(0).optional(),
  durationMs: ClampedMs(1).optional(),
})

/** The same whether or not the event was recorded, because the page could do nothing about a failure. */
export const ShareEventResult = z.object({ ok: z.literal(true) })
