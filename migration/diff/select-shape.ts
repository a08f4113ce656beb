import type { Shape } from './shape.ts'

/** Returns the first option of a union that accepts the value, or `null`. Returns any other shape unchanged. */
export const selectOption = (shape: Shape | null, value: unknown): Shape | null =>
  shape?.kind === 'union' ? (shape.options.find(({ accepts }) => accepts(value))?.shape ?? null) : shape

/** Returns a field's shape; `null` if the contract does not declare it. */
export const selectField = (shape: Shape | null, key: string): Shape | null => {
  if (shape?.kind === 'object') return shape.fields.get(key) ?? null
  return shape?.kind === 'record' ? shape.value : null
}

/**
 * Returns an object's key for the report, or `?` unless the contract names the key. Any other key, even a record's, may
 * be customer data.
 */
export const maskKey = (shape: Shape | null, key: string) =>
  shape?.kind === 'object' && shape.fields.has(key) ? key : '?'
