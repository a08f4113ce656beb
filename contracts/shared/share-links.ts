import * as z from 'zod'
import { Str, Timestamp, TimestampInput } from './primitives.ts'

/** The status of a link; `revoked` takes precedence over `expired`. Only an active link grants access. */
export const LinkStatus = z.enum(['active', 'revoked', 'expired'])

/** The input for a new link. The handler checks that `expiresAt` is in the future. */
export const NewShareLink = z.object({ name: Str(120).optional(), expiresAt: TimestampInput.optional() })

/** The fields of a link that its recipient sees. A link that is not active is not found. */
export const ActiveLink = z.object({
  name: z.string().nullable(),
  status: z.literal('active'),
  expiresAt: Timestamp.nullable(),
  createdAt: Timestamp,
})
