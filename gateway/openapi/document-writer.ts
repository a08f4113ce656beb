import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import { namedSchemas, type SchemaName } from '#contracts/docs/schema-names.ts'
import { isObject } from '#shared/json.ts'
import { type Direction, type JsonSchema, toNamedJsonSchema } from './json-schema.ts'

/** Maps each schema that has every field of another schema, and more, to that other schema. */
const extendedBy: { readonly [N in SchemaName]?: SchemaName } = {
  LibraryListRecord: 'Library',
  SharedLibrary: 'Library',
  IssuedTrackShareLink: 'TrackShareLink',
  IssuedSplitSheetShareLink: 'SplitSheetShareLink',
  VersionList: 'Versions',
  PackShareEvent: 'ShareEvent',
  CountsOfDay: 'Counts',
  CountsWithVisitors: 'Counts',
  CountsOfLink: 'CountsWithVisitors',
  PackAnalytics: 'LinkAnalytics',
  TrackAnalytics: 'LinkAnalytics',
  PlanCheckout: 'BillingSession',
}

type ObjectSchema = Pick<JsonSchema, 'properties' | 'required'>
type Schemas = Readonly<Record<string, object>>

const findBase = (name: string): SchemaName | undefined =>
  Object.entries(extendedBy).find(([extension]) => extension === name)?.[1]

const extend = (schema: ObjectSchema, base: ObjectSchema, baseName: string, name: string): JsonSchema => {
  const own = Object.entries(schema.properties ?? {}).filter(([field]) => !(field in (base.properties ?? {})))
  const inherited = Object.entries(base.properties ?? {})
  const isSame = ([field, described]: [string, unknown]) =>
    isDeepStrictEqual(schema.properties?.[field], described) &&
    (schema.required ?? []).includes(field) === (base.required ?? []).includes(field)
  if (!inherited.every(isSame))
    throw new Error(`${name} must repeat every field of ${baseName} unchanged: see document-writer.ts`)
  const required = (schema.required ?? []).filter((field) => !(base.required ?? []).includes(field))
  return {
    allOf: [
      { $ref: `#/components/schemas/${baseName}` },
      { type: 'object', properties: Object.fromEntries(own), ...(required.length > 0 ? { required } : {}) },
    ],
  }
}

const describeExtensions = (schemas: Schemas): Schemas =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const baseName = findBase(name)
      const base = baseName && schemas[baseName]
      return [name, base ? extend(schema, base, baseName, name) : schema]
    }),
  )

export type OpenApiFields = Readonly<Record<string, unknown>>

type ComponentKind = 'schemas' | 'responses' | 'parameters' | 'examples' | 'headers'

// zod's schemas refer to each other in `#/$defs`, but in the document they are components.
const relocate = <T extends object>(described: T): T =>
  JSON.parse(JSON.stringify(described).replaceAll('"#/$defs/', '"#/components/schemas/'))

const sortByName = (components: ReadonlyMap<string, object>): Readonly<Record<string, object>> =>
  Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)))

export const createDocumentWriter = () => {
  const kinds = {
    schemas: new Map<string, object>(),
    responses: new Map<string, object>(),
    parameters: new Map<string, object>(),
    examples: new Map<string, object>(),
    headers: new Map<string, object>(),
  }

  /** Throws if two components with the same name differ. */
  const addComponent = (kind: ComponentKind, name: string, component: object) => {
    const existing = kinds[kind].get(name)
    if (existing && JSON.stringify(existing) !== JSON.stringify(component))
      throw new Error(`the API description would have two ${kind} with the name ${name}: rename one of them`)
    kinds[kind].set(name, component)
    return { $ref: `#/components/${kind}/${name}` }
  }

  /** Returns the JSON Schema. Named schemas in it become components, and it refers to them. */
  const describeSchema = (schema: z.ZodType, io: Direction): JsonSchema => {
    const named = toNamedJsonSchema(schema, io)
    for (const [name, definition] of Object.entries(relocate(named.definitions))) {
      addComponent('schemas', name, definition)
      const base = findBase(name)
      if (base) describeSchema(namedSchemas[base], io)
    }
    return relocate(named.schema)
  }

  return {
    describeSchema,
    addComponent,
    components: (): Readonly<Record<ComponentKind, OpenApiFields>> => ({
      schemas: describeExtensions(sortByName(kinds.schemas)),
      responses: sortByName(kinds.responses),
      parameters: sortByName(kinds.parameters),
      examples: sortByName(kinds.examples),
      headers: sortByName(kinds.headers),
    }),
  }
}

export type DocumentWriter = ReturnType<typeof createDocumentWriter>

const countRefs = (document: object) => {
  const counts = new Map<string, number>()
  for (const [, ref = ''] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g))
    counts.set(ref, (counts.get(ref) ?? 0) + 1)
  return counts
}

const omitExamples = ({ examples: _examples, ...fields }: OpenApiFields) => fields

const toRef = (kind: string, name: string) => `#/components/${kind}/${name}`

/**
 * Inlines components that are used only once, so that only shared ones remain. Schemas are never inlined, because
 * clients have types named after them.
 */
export const inlineComponents = <T extends { readonly components: Readonly<Record<string, OpenApiFields>> }>(
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
  const findOnlyExample = ({ examples }: OpenApiFields) => {
    const [reference] = isObject(examples) ? Object.values(examples) : []
    const component = isObject(reference) ? inlined.get(String(reference.$ref)) : undefined
    return isObject(component) ? component.value : undefined
  }
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline)
    if (!isObject(value)) return value
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
