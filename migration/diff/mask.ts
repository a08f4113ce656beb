import { isErrorCode } from '#contracts/errors.ts'
import { signHmac } from '#shared/hmac-sha256.ts'
import type { DiffSchema } from './diff-schema.ts'
import { absent } from './difference-collector.ts'
import { typeOf } from './json.ts'

/** Replaces a value with its type and a keyed hash, so that nobody without the key can test a guess. */
export type Mask = (value: unknown) => string

export const createMask =
  (key: string): Mask =>
  (value) => {
    if (Array.isArray(value)) return `array of ${value.length}`
    const type = typeOf(value)
    if (type === 'object') return type
    return `${type} #${signHmac(key, JSON.stringify(value)).toString('hex').slice(0, 10)}`
  }

const isKnownCode = (path: string, value: unknown) => path === 'body.error' && isErrorCode(value)

/**
 * Returns a value for the report. It is unmasked if it is an error code, or if the contract declares it as an enum
 * value, number or boolean.
 */
export const maskValue = (mask: Mask, schema: DiffSchema | null, path: string, value: unknown) => {
  if (value === absent) return null
  const isReportable = value === null || (schema?.kind === 'leaf' && schema.isReportable(value))
  return isReportable || isKnownCode(path, value) ? JSON.stringify(value) : mask(value)
}
