import { isObject } from './json.ts'
import { selectField, selectOption } from './select-shape.ts'
import type { ArrayShape, LeafShape, Shape } from './shape.ts'
import { urlShape } from './url-shape.ts'

const printLeaf = ({ format, accepts }: LeafShape, value: unknown) => {
  if (format === 'plain' || typeof value !== 'string' || !accepts(value)) return JSON.stringify(value)
  return format === 'signed-url' ? `<${urlShape(value)}>` : `<${format}>`
}

const printArray = (shape: ArrayShape | null, elements: readonly unknown[]) => {
  const parts = elements.map((element) => fingerprint(shape?.element ?? null, element))
  return `[${(shape && shape.by !== 'index' ? parts.sort() : parts).join()}]`
}

const printObject = (shape: Shape | null, value: Readonly<Record<string, unknown>>) => {
  const parts = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${fingerprint(selectField(shape, key), value[key])}`)
  return `{${parts.join()}}`
}

/**
 * Returns a text that is equal for all values that the schema considers equal, with ids and values of other formats
 * replaced by the format's name. Without a shape, only identical values have equal fingerprints.
 */
export const fingerprint = (shape: Shape | null, value: unknown): string => {
  const chosen = selectOption(shape, value)
  if (Array.isArray(value)) return printArray(chosen?.kind === 'array' ? chosen : null, value)
  if (isObject(value)) return printObject(chosen, value)
  return chosen?.kind === 'leaf' ? printLeaf(chosen, value) : JSON.stringify(value)
}
