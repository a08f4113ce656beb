import { signHmac } from '#shared/hmac-sha256.ts'
import { createMask, type Mask } from '../../parity/diff/mask.ts'

/**
 * The mask for values of customers in stored examples. Instances with the same secret mask equal values equally on one day
 * (UTC), so their examples can be joined, and differently on the next day, so no value can be followed. `at` is
 * in milliseconds since the epoch.
 */
export const createDailyMask = (secret: string, at: number): Mask =>
  createMask(signHmac(secret, 'masked example\n', new Date(at).toISOString().slice(0, 10)).toString('hex'))
