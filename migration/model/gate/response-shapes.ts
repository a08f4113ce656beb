import type * as z from 'zod'
import { errorTable } from '#contracts/errors.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { isObject } from '#shared/json.ts'
import { definitionOf, queryParametersOf, queryShapeOf } from './request-shape.ts'

/** The variants that the contract allows for the value at one place in a response. */
interface Place {
  readonly isNullable: boolean
  readonly isOptional: boolean
  readonly values: ReadonlySet<string> | null
  readonly fields: ReadonlyMap<string, Place>
  readonly element: Place | null
  readonly options: readonly Place[]
}

const leaf: Place = {
  isNullable: false,
  isOptional: false,
  values: null,
  fields: new Map(),
  element: null,
  options: [],
}

const compile = (schema: z.core.$ZodType): Place => {
  const definition = definitionOf(schema)
  switch (definition.type) {
    case 'optional':
      return { ...compile(definition.innerType), isOptional: true }
    case 'nullable':
      return { ...compile(definition.innerType), isNullable: true }
    case 'object':
      return {
        ...leaf,
        fields: new Map(Object.entries(definition.shape).map(([name, field]) => [name, compile(field)])),
      }
    case 'array':
      return { ...leaf, element: compile(definition.element) }
    case 'union':
      return { ...leaf, options: definition.options.map(compile) }
    case 'enum':
      return { ...leaf, values: new Set(Object.values(definition.entries).map(String)) }
    case 'boolean':
      return { ...leaf, values: new Set(['true', 'false']) }
    default:
      return leaf
  }
}

const lengths = ['empty', 'one', 'many'] as const
const lengthOf = (list: readonly unknown[]) => lengths[Math.min(list.length, 2)] ?? 'many'

const describe = (place: Place, value: unknown, path: string, add: (shape: string) => void): void => {
  const { isNullable, isOptional, values, fields, element, options } = place
  if (isNullable && value === null) add(`${path} null`)
  if (isOptional && value === undefined) add(`${path} absent`)
  if (value === null || value === undefined) return
  if (isNullable || isOptional) add(`${path} set`)
  if (values?.has(String(value))) add(`${path} ${value}`)
  if (element && Array.isArray(value)) {
    add(`${path} ${lengthOf(value)}`)
    for (const each of value) describe(element, each, `${path}.*`, add)
  }
  if (isObject(value))
    for (const [name, field] of fields) describe(field, value[name], `${path}.${name}`, add)
  for (const option of options) describe(option, value, path, add)
}

const declare = (place: Place, path: string): readonly string[] => {
  const { isNullable, isOptional, values, fields, element, options } = place
  return [
    ...(isOptional ? [`${path} absent`] : []),
    ...(isNullable ? [`${path} null`] : []),
    ...(isNullable || isOptional ? [`${path} set`] : []),
    ...[...(values ?? [])].map((value) => `${path} ${value}`),
    ...(element ? [...lengths.map((length) => `${path} ${length}`), ...declare(element, `${path}.*`)] : []),
    ...[...fields].flatMap(([name, field]) => declare(field, `${path}.${name}`)),
    ...options.flatMap((option) => declare(option, path)),
  ]
}

const errorShape = (code: string) => `error ${code}`

interface DeclaredShapes {
  readonly places: ReadonlyMap<number, Place>
  readonly shapes: ReadonlySet<string>
}

const compileLabel = (label: Label): DeclaredShapes => {
  const { responses, errors = [] }: Contract = contracts[label]
  const places = new Map(
    Object.entries(responses).flatMap(([status, schema]) =>
      schema === null ? [] : [[Number(status), compile(schema)] as const],
    ),
  )
  const ofBodies = [...places.values()].flatMap((place) => declare(place, 'body'))
  return { places, shapes: new Set([...ofBodies, ...errors.map(errorShape)]) }
}

const compiled = new Map<Label, DeclaredShapes>()

const declaredOf = (label: Label): DeclaredShapes => {
  const declared = compiled.get(label) ?? compileLabel(label)
  compiled.set(label, declared)
  return declared
}

/**
 * Returns the shapes that the contract distinguishes in a response: empty, single and longer lists; null or absent
 * values; listed values; the error code. An example is `body.records.*.isrc null`. Contains no values except those that
 * the contract lists.
 */
export const responseShapesOf = (label: Label, status: number, body: unknown): readonly string[] => {
  const place = declaredOf(label).places.get(status)
  const found = new Set<string>()
  if (place) describe(place, body, 'body', (shape) => found.add(shape))
  else if (isObject(body) && Object.hasOwn(errorTable, String(body.error)))
    found.add(errorShape(String(body.error)))
  return [...found]
}

export const isResponseShape = (label: Label, shape: string): boolean =>
  declaredOf(label).shapes.has(shape) || Object.keys(errorTable).some((code) => shape === errorShape(code))

/** Returns each part of a query's shape separately, such as `query limit=number`. */
export const queryShapesOf = (label: Label, query: string): readonly string[] => {
  if (queryParametersOf(label).size === 0) return []
  const parts = queryShapeOf(label, query)
  return parts === '' ? ['query none'] : parts.split('&').map((part) => `query ${part}`)
}

export const listUnseenShapes = (label: Label, seen: readonly string[]): readonly string[] => {
  const names = [...queryParametersOf(label).keys()].map((name) => `query ${name}`)
  const known = new Set(seen)
  return [
    ...names.filter((name) => !seen.some((shape) => shape.startsWith(`${name}=`))),
    ...[...declaredOf(label).shapes].filter((shape) => !known.has(shape)),
  ]
}
