import { signHmac } from '#shared/hmac-sha256.ts'
import { createMask, type Mask } from '../../parity/diff/mask.ts'

/**
 * Creates the mask for customers' values in stored examples. On one day (UTC), all instances with the same secret mask
 * equal values equally, so examples can be joined; the next day differs, so no value can be followed. `at` is in
 * milliseconds since the epoch.
 */
export const createDailyMask = (secret: string, at: number): Mask =>
  createMask(signHmac(secret, 'masked example\n', new Date(at).toISOString().slice(0, 10)).toString('hex'))
