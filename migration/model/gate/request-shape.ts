import type * as z from 'zod'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'

/** The values that a query parameter's schema lists; null if it lists none. */
type DeclaredValues = ReadonlySet<string> | null

type QueryParameters = ReadonlyMap<string, DeclaredValues>

/** The cast is needed because `type` discriminates only `$ZodTypes`, the union of all schema types. */
export const definitionOf = (schema: z.core.$ZodType) => (schema as z.core.$ZodTypes)._zod.def

/** Returns the innermost definition of the schema for what a client sends, before the contract transforms it. */
const unwrap = (schema: z.core.$ZodType): z.core.$ZodTypes['_zod']['def'] => {
  const definition = definitionOf(schema)
  switch (definition.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'catch':
      return unwrap(definition.innerType)
    case 'pipe':
      // A preprocessed schema is a pipe that begins with a transformation.
      return unwrap(definitionOf(definition.in).type === 'transform' ? definition.out : definition.in)
    default:
      return definition
  }
}

const valuesOf = (field: z.core.$ZodType): DeclaredValues => {
  const definition = unwrap(field)
  return definition.type === 'enum' ? new Set(Object.values(definition.entries).map(String)) : null
}

export const queryParametersOf = (label: Label): QueryParameters => {
  const { query }: Contract = contracts[label]
  const definition = query ? unwrap(query) : null
  return definition?.type === 'object'
    ? new Map(Object.entries(definition.shape).map(([name, field]) => [name, valuesOf(field)]))
    : new Map()
}

const kindOf = (value: string, declared: DeclaredValues) => {
  if (declared) return declared.has(value) ? value : 'other'
  if (value === '') return 'empty'
  return /^\d+$/.test(value) ? 'number' : 'text'
}

/**
 * Returns a query's shape, such as `cursor=text&limit=number`: the contract's parameters with the kinds of their
 * values, and `?` for all other parameters. Contains no values except those that the contract lists. `cursor` gives
 * later pages a different shape from the first.
 */
export const queryShapeOf = (label: Label, query: string): string => {
  if (query === '') return ''
  const declared = queryParametersOf(label)
  const sent = new URLSearchParams(query)
  const parts = [...new Set(sent.keys())].map((name) => {
    const values = declared.get(name)
    if (values === undefined) return '?'
    const kind = kindOf(sent.get(name) ?? '', values)
    return `${name}=${kind}${sent.getAll(name).length > 1 ? ' repeated' : ''}`
  })
  return [...new Set(parts)].sort().join('&')
}
