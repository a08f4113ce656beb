import { signHmac } from '#shared/hmac-sha256.ts'
import { absent } from './findings.ts'
import { typeOf } from './json.ts'
import type { Shape } from './shape.ts'

/** Writes a value that must not be shown as its type and a hash that only the holder of the key can check. */
export type Mask = (value: unknown) => string

export const createMask =
  (key: string): Mask =>
  (value) => {
    if (Array.isArray(value)) return `array of ${value.length}`
    const type = typeOf(value)
    if (type === 'object') return type
    return `${type} #${signHmac(key, JSON.stringify(value)).toString('hex').slice(0, 10)}`
  }

const isErrorCode = (path: string, value: unknown) =>
  path === 'body.error' && typeof value === 'string' && /^[a-z][a-z_]{0,63}$/.test(value)

/** A value as a report may show it: as it is where the contract says that it is a word or number, else masked. */
export const maskedValue = (mask: Mask, shape: Shape | null, path: string, value: unknown) => {
  if (value === absent) return null
  const isHarmless = value === null || (shape?.kind === 'leaf' && shape.isHarmless(value))
  return isHarmless || isErrorCode(path, value) ? JSON.stringify(value) : mask(value)
}
