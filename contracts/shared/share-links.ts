import * as z from 'zod'
import { Str, Timestamp, TimestampInput } from './primitives.ts'

/** Revoked wins over expired. Only an active link opens anything. */
export const LinkStatus = z.enum(['active', 'revoked', 'expired'])

/** A new link; that `expiresAt` lies in the future is for whoever has the clock to check. */
export const NewShareLink = z.object({ name: Str(120).optional(), expiresAt: TimestampInput.optional() })

/** What a recipient learns of the link itself; one that is not active is not found. */
export const OpenedLink = z.object({
  name: z.string().nullable(),
  status: z.literal('active'),
  expiresAt: Timestamp.nullable(),
  createdAt: Timestamp,
})
