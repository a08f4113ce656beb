import { signHmac } from '#shared/hmac-sha256.ts'

/**
 * The pseudonym of this deployment in `Via`. It is derived from a secret that all instances of a deployment share, so
 * that a loop over several instances is detected, and a gateway of another deployment in the chain is not mistaken for
 * this one.
 */
export const createViaPseudonym = (secret: string): string =>
  `crossfade-${signHmac(secret, 'via pseudonym').toString('hex', 0, 8)}`

/** Whether a request has passed through this deployment before (RFC 9110, section 7.6.3). */
export const isForwardingLoop = (headers: readonly string[], pseudonym: string): boolean => {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    if (name.length === 3 && name.toLowerCase() === 'via' && headers[at + 1]?.includes(pseudonym)) return true
  }
  return false
}
