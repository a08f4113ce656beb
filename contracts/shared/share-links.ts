import * as z from 'zod'
import { Str, Timestamp, TimestampInput } from './primitives.ts'

/** `revoked` takes precedence over `expired`; only `active` grants access. */
export const LinkStatus = z.enum(['active', 'revoked', 'expired'])

export const NewShareLink = z.object({ name: Str(120).optional(), expiresAt: TimestampInput.optional() })

/** For a link that is not active, the response is 404. */
export const ActiveLink = z.object({
  name: z.string().nullable(),
  status: z.literal('active'),
  expiresAt: Timestamp.nullable(),
  createdAt: Timestamp,
})
