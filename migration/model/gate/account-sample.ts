import * as z from 'zod'
import { signHmac } from '#shared/hmac-sha256.ts'

const maxHashes = 64
const hashDigits = 16
/** 13 hex digits are 52 bits, which a JavaScript number can represent exactly. */
const significantDigits = 13

/**
 * A sample of the accounts, or share-link subjects, in a set of comparisons: the 64 smallest of their keyed hashes, in
 * ascending order. At most 1,217 bytes as JSON.
 */
export const AccountSample = z.array(z.string().regex(/^[0-9a-f]{16}$/)).max(maxHashes)
export type AccountSample = readonly string[]

/** Returns the hash that represents an account in samples. It is the same on all instances with the same secret. */
export const hashAccount = (secret: string, accountId: string) =>
  signHmac(secret, 'compared account\n', accountId).toString('hex', 0, hashDigits / 2)

/** Merges the samples of several instances or periods, in any order. Merging one twice changes nothing. */
export const mergeAccountSamples = (samples: readonly AccountSample[]): AccountSample =>
  [...new Set(samples.flat())].sort().slice(0, maxHashes)

/** Adds an account's hash to a sample. Usually the sample does not change, so the same object is returned. */
export const addAccount = (sample: AccountSample, hash: string): AccountSample => {
  const largest = sample[maxHashes - 1]
  const isUnchanged = (largest !== undefined && hash > largest) || sample.includes(hash)
  return isUnchanged ? sample : mergeAccountSamples([sample, [hash]])
}

/** The count is exact below 64. From 64 on, it is an estimate with a standard error of about 13 %. */
export const estimateAccounts = (sample: AccountSample): number => {
  const largest = sample[maxHashes - 1]
  if (largest === undefined) return sample.length
  const fraction = Number.parseInt(largest.slice(0, significantDigits), 16) / 16 ** significantDigits
  return Math.max(maxHashes, Math.round((maxHashes - 1) / fraction))
}
