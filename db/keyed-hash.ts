import { createHmac } from 'node:crypto'

export type KeyedHash = (text: string) => string

const rememberedTexts = 16_384
const longestRemembered = 512

/**
 * HMAC-SHA256 under the gateway's secret: the same text gives the same hash on every instance, and whoever reads the
 * hash cannot try texts without the secret. Hashes of different purposes have nothing in common. Thousands of the last
 * ones are remembered: whoever looks at a page asks for more of it at once.
 */
export const createKeyedHash = (secret: string, purpose: string): KeyedHash => {
  let young = new Map<string, string>()
  let old = young
  return (text) => {
    const known = young.get(text) ?? old.get(text)
    if (known !== undefined) return known
    const hash = createHmac('sha256', secret).update(`${purpose}\n${text}`).digest('base64url')
    if (text.length > longestRemembered) return hash
    if (young.size >= rememberedTexts / 2) {
      old = young
      young = new Map()
    }
    young.set(text, hash)
    return hash
  }
}
