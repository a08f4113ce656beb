import { signHmac } from '#shared/hmac-sha256.ts'
import { formatDay } from '#shared/iso-clock.ts'
import { createMask, type Mask } from '../diff/mask.ts'

/**
 * Creates the mask for customers' values in stored examples. Within a day (UTC), all instances with the same secret
 * mask equal values in the same way, so examples can be related to each other. The mask changes every day, so no value
 * can be traced from one day to the next. `at` is in Unix milliseconds.
 */
export const createDailyMask = (secret: string, at: number): Mask =>
  createMask(signHmac(secret, 'masked example\n', formatDay(at)).toString('hex'))
