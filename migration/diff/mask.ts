import { isErrorCode } from '#contracts/errors.ts'
import { signHmac } from '#shared/hmac-sha256.ts'
import { isObject, typeOf } from '#shared/json.ts'
import { type DiffSchema, type LeafSchema, maskKey, selectField, selectOption } from './diff-schema.ts'
import { absent } from './difference-collector.ts'

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

// Elements beyond this are left out. If they differ, the comparison's differences name them.
const maxElements = 5

const placeholders: { readonly [F in LeafSchema['format']]?: string } = {
  id: '<id>',
  timestamp: '<timestamp>',
  token: '<token>',
  cursor: '<cursor>',
  'signed-url': '<signed URL>',
}

const maskArray = (mask: Mask, element: DiffSchema | null, values: readonly unknown[]) => {
  const shown = values.slice(0, maxElements).map((value) => maskBody(mask, element, value))
  const more = values.length - shown.length
  return more > 0 ? [...shown, `<${more} more>`] : shown
}

const maskObject = (mask: Mask, schema: DiffSchema | null, value: Readonly<Record<string, unknown>>) => {
  let unknownKeys = 0
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const name = maskKey(schema, key)
      return [
        name === '?' ? `?${++unknownKeys}` : name,
        schema === null && key === 'error' && isErrorCode(field)
          ? field
          : maskBody(mask, selectField(schema, key), field),
      ]
    }),
  )
}

/**
 * Masks a body so that a report may show all of it. Keys come from the contract; ids, timestamps, tokens and addresses
 * become the name of their kind; other text goes through `mask`; long arrays are cut.
 */
export const maskBody = (mask: Mask, schema: DiffSchema | null, value: unknown): unknown => {
  const selected = selectOption(schema, value)
  if (Array.isArray(value))
    return maskArray(mask, selected?.kind === 'array' ? selected.element : null, value)
  if (isObject(value)) return maskObject(mask, selected, value)
  if (value === null || typeof value === 'boolean') return value
  if (selected?.kind !== 'leaf') return mask(value)
  if (selected.isReportable(value)) return value
  return (typeof value === 'string' && placeholders[selected.format]) || mask(value)
}
