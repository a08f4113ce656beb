import * as z from 'zod'
import { signHmac } from '#shared/hmac-sha256.ts'

const maxHashes = 64
const hashDigits = 16
/** As many digits as a number represents exactly. */
const significantDigits = 13

/**
 * The accounts, or the subjects of share links, that a set of comparisons covers: the 64 smallest of their keyed hashes,
 * in ascending order. Plain data of at most 1,217 bytes as JSON.
 */
export const AccountSample = z.array(z.string().regex(/^[0-9a-f]{16}$/)).max(maxHashes)
export type AccountSample = readonly string[]

/** The hash that represents an account in samples; the same on all instances with the same secret. */
export const hashAccount = (secret: string, accountId: string) =>
  signHmac(secret, 'compared account\n', accountId).toString('hex', 0, hashDigits / 2)

/** The sample of all accounts in the samples: of several instances or periods, in any order and repeatedly. */
export const mergeAccountSamples = (samples: readonly AccountSample[]): AccountSample =>
  [...new Set(samples.flat())].sort().slice(0, maxHashes)

/** Adds the account with this hash; returns the same sample if that does not change it, as for most requests. */
export const addAccount = (sample: AccountSample, hash: string): AccountSample => {
  const largest = sample[maxHashes - 1]
  const isUnchanged = (largest !== undefined && hash > largest) || sample.includes(hash)
  return isUnchanged ? sample : mergeAccountSamples([sample, [hash]])
}

/**
 * The number of distinct accounts: exact below 64, above estimated from the density of the smallest hashes with a standard
 * error of about 13 %.
 */
export const estimateAccounts = (sample: AccountSample): number => {
  const largest = sample[maxHashes - 1]
  if (largest === undefined) return sample.length
  const fraction = Number.parseInt(largest.slice(0, significantDigits), 16) / 16 ** significantDigits
  return Math.max(maxHashes, Math.round((maxHashes - 1) / fraction))
}
