import { signHmac } from '#shared/hmac-sha256.ts'

/**
 * The pseudonym of this deployment in `Via`. It is derived from a secret that all instances of a deployment share, so
 * that a loop over several instances is detected. Another deployment in the chain has another secret and pseudonym.
 */
export const createViaPseudonym = (secret: string): string =>
  `crossfade-${signHmac(secret, 'via pseudonym').toString('hex', 0, 8)}`

/**
 * Whether a request has passed through this deployment before (RFC 9110, section 7.6.3). Names and values alternate in
 * `headers`. A substring match is enough: the 64 random bits do not occur in a header by accident.
 */
export const isForwardingLoop = (headers: readonly string[], pseudonym: string): boolean => {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    if (name.length === 3 && name.toLowerCase() === 'via' && headers[index + 1]?.includes(pseudonym))
      return true
  }
  return false
}
