import { isObject } from './json.ts'
import { selectField, selectOption } from './select-shape.ts'
import type { ArrayShape, LeafShape, Shape } from './shape.ts'
import { urlShape } from './url-shape.ts'

const ofLeaf = ({ format, accepts }: LeafShape, value: unknown) => {
  if (format === 'plain' || typeof value !== 'string' || !accepts(value)) return JSON.stringify(value)
  return format === 'signed-url' ? `<${urlShape(value)}>` : `<${format}>`
}

const ofElements = (shape: ArrayShape | null, elements: readonly unknown[]) => {
  const parts = elements.map((element) => fingerprint(shape?.element ?? null, element))
  return `[${(shape && shape.by !== 'place' ? parts.sort() : parts).join()}]`
}

const ofFields = (shape: Shape | null, value: Readonly<Record<string, unknown>>) => {
  const parts = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${fingerprint(selectField(shape, key), value[key])}`)
  return `{${parts.join()}}`
}

/**
 * Equal for values that are alike by the schema: what is compared by its form stands there as that form.
 * Without a shape, equal for equal values alone.
 */
export const fingerprint = (shape: Shape | null, value: unknown): string => {
  const chosen = selectOption(shape, value)
  if (Array.isArray(value)) return ofElements(chosen?.kind === 'array' ? chosen : null, value)
  if (isObject(value)) return ofFields(chosen, value)
  return chosen?.kind === 'leaf' ? ofLeaf(chosen, value) : JSON.stringify(value)
}
