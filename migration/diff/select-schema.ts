import type { DiffSchema } from './diff-schema.ts'

/** Returns the first option of a union that accepts the value, or `null`. Returns any other schema unchanged. */
export const selectOption = (schema: DiffSchema | null, value: unknown): DiffSchema | null =>
  schema?.kind === 'union' ? (schema.options.find(({ accepts }) => accepts(value))?.schema ?? null) : schema

/** Returns a field's schema; `null` if the contract does not declare it. */
export const selectField = (schema: DiffSchema | null, key: string): DiffSchema | null => {
  if (schema?.kind === 'object') return schema.fields.get(key) ?? null
  return schema?.kind === 'record' ? schema.value : null
}

/**
 * Returns an object's key as the report shows it: `?` unless the contract names the key. Any other key, even a
 * record's, may be customer data.
 */
export const maskKey = (schema: DiffSchema | null, key: string) =>
  schema?.kind === 'object' && schema.fields.has(key) ? key : '?'
