type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const countRefs = (document: object) => {
  const counts = new Map<string, number>()
  for (const [, ref = ''] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g))
    counts.set(ref, (counts.get(ref) ?? 0) + 1)
  return counts
}

const omitExamples = ({ examples: _examples, ...fields }: Fields) => fields

const toRef = (kind: string, name: string) => `#/components/${kind}/${name}`

/**
 * Inlines components that are used only once, so that only shared ones remain. Schemas are never inlined, because
 * clients have types named after them.
 */
export const inlineComponents = <T extends { readonly components: Readonly<Record<string, Fields>> }>(
  document: T,
): T => {
  const counts = countRefs(document)
  const inlined = new Map<string, unknown>()
  const shared = Object.entries(document.components).map(([kind, components]) => {
    const isShared = ([name, component]: readonly [string, unknown]) => {
      const ref = toRef(kind, name)
      if (kind === 'schemas' || counts.get(ref) !== 1) return true
      inlined.set(ref, component)
      return false
    }
    return [kind, Object.fromEntries(Object.entries(components).filter(isShared))] as const
  })
  // Returns the example in a media type's `examples`, unless other media types use it too.
  const findOnlyExample = ({ examples }: Fields) => {
    const [reference] = isFields(examples) ? Object.values(examples) : []
    const component = isFields(reference) ? inlined.get(String(reference.$ref)) : undefined
    return isFields(component) ? component.value : undefined
  }
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline)
    if (!isFields(value)) return value
    const component = inlined.get(String(value.$ref))
    if (component !== undefined) return inline(component)
    const example = findOnlyExample(value)
    if (example !== undefined) return inline({ ...omitExamples(value), example })
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inline(inner)]))
  }
  return asDocument<T>(inline({ ...document, components: Object.fromEntries(shared) }))
}

// `T` is still right, because references were only replaced by what they refer to.
const asDocument = <T>(value: unknown) => value as T
