import { createHmac } from 'node:crypto'

export type KeyedHash = (text: string) => string

/**
 * HMAC-SHA256 under the gateway's secret: the same text gives the same hash on every instance, and whoever reads the
 * hash cannot try texts without the secret. Hashes of different purposes have nothing in common.
 */
export const createKeyedHash =
  (secret: string, purpose: string): KeyedHash =>
  (text) =>
    createHmac('sha256', secret).update(`${purpose}\n${text}`).digest('base64url')
