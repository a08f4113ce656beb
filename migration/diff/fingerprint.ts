import { isObject } from '#shared/json.ts'
import {
  type ArraySchema,
  type DiffSchema,
  type LeafSchema,
  selectField,
  selectOption,
} from './diff-schema.ts'
import { urlPatternOf } from './url-pattern.ts'

const printLeaf = ({ format, accepts }: LeafSchema, value: unknown) => {
  if (format === 'plain' || typeof value !== 'string' || !accepts(value)) return JSON.stringify(value)
  return format === 'signed-url' ? `<${urlPatternOf(value)}>` : `<${format}>`
}

const printArray = (schema: ArraySchema | null, elements: readonly unknown[]) => {
  const parts = elements.map((element) => fingerprint(schema?.element ?? null, element))
  return `[${(schema && schema.key !== null ? parts.sort() : parts).join()}]`
}

const printObject = (schema: DiffSchema | null, value: Readonly<Record<string, unknown>>) => {
  const parts = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${fingerprint(selectField(schema, key), value[key])}`)
  return `{${parts.join()}}`
}

/**
 * Returns a text that is equal for all values that the schema considers equal. Ids and other generated values are
 * replaced with the name of their format. Without a schema, only identical values have equal fingerprints.
 */
export const fingerprint = (schema: DiffSchema | null, value: unknown): string => {
  const chosen = selectOption(schema, value)
  if (Array.isArray(value)) return printArray(chosen?.kind === 'array' ? chosen : null, value)
  if (isObject(value)) return printObject(chosen, value)
  return chosen?.kind === 'leaf' ? printLeaf(chosen, value) : JSON.stringify(value)
}
