import type { Shape } from './shape.ts'

/** The first option of a union that accepts the value, or `null`; any other shape is returned unchanged. */
export const selectOption = (shape: Shape | null, value: unknown): Shape | null =>
  shape?.kind === 'union' ? (shape.options.find(({ accepts }) => accepts(value))?.shape ?? null) : shape

/** The shape of a field; `null` if the contract does not declare it. */
export const selectField = (shape: Shape | null, key: string): Shape | null => {
  if (shape?.kind === 'object') return shape.fields.get(key) ?? null
  return shape?.kind === 'record' ? shape.value : null
}

/**
 * The key of an object for the report: `?` unless the contract names it. Any other key, also that of a record, may be
 * data of a customer.
 */
export const maskKey = (shape: Shape | null, key: string) =>
  shape?.kind === 'object' && shape.fields.has(key) ? key : '?'
