import { isErrorCode } from '#contracts/errors.ts'
import { isObject } from './json.ts'
import type { Mask } from './mask.ts'
import { maskKey, selectField, selectOption } from './select-shape.ts'
import type { LeafShape, Shape } from './shape.ts'

// Elements beyond this are left out. If they differ, the comparison's differences name them.
const maxElements = 5

const placeholders: { readonly [F in LeafShape['format']]?: string } = {
  id: '<id>',
  timestamp: '<timestamp>',
  token: '<token>',
  cursor: '<cursor>',
  'signed-url': '<signed URL>',
}

const maskArray = (mask: Mask, element: Shape | null, values: readonly unknown[]) => {
  const shown = values.slice(0, maxElements).map((value) => maskBody(mask, element, value))
  const more = values.length - shown.length
  return more > 0 ? [...shown, `<${more} more>`] : shown
}

const maskObject = (mask: Mask, shape: Shape | null, value: Readonly<Record<string, unknown>>) => {
  let unknownKeys = 0
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const name = maskKey(shape, key)
      return [
        name === '?' ? `?${++unknownKeys}` : name,
        shape === null && key === 'error' && isErrorCode(field)
          ? field
          : maskBody(mask, selectField(shape, key), field),
      ]
    }),
  )
}

/**
 * Masks a body so that a report may show all of it. Keys come from the contract; ids, timestamps, tokens and addresses
 * become the name of their kind; other text goes through `mask`; long arrays are cut.
 */
export const maskBody = (mask: Mask, shape: Shape | null, value: unknown): unknown => {
  const selected = selectOption(shape, value)
  if (Array.isArray(value))
    return maskArray(mask, selected?.kind === 'array' ? selected.element : null, value)
  if (isObject(value)) return maskObject(mask, selected, value)
  if (value === null || typeof value === 'boolean') return value
  if (selected?.kind !== 'leaf') return mask(value)
  if (selected.isReportable(value)) return value
  return (typeof value === 'string' && placeholders[selected.format]) || mask(value)
}
