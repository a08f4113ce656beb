import type { Shape } from './shape.ts'

/** The one of a union that the value belongs to; any other shape is its own only option. */
export const selectOption = (shape: Shape | null, value: unknown): Shape | null =>
  shape?.kind === 'union' ? (shape.options.find(({ accepts }) => accepts(value))?.shape ?? null) : shape

/** The shape of a field; `null` where the contract does not name it. */
export const selectField = (shape: Shape | null, key: string): Shape | null => {
  if (shape?.kind === 'object') return shape.fields.get(key) ?? null
  return shape?.kind === 'record' ? shape.value : null
}
