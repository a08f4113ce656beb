import type * as z from 'zod'
import { namedSchemas } from '#contracts/docs/schema-names.ts'
import { describeExtensions, findBase } from './json-schema/extensions.ts'
import { type Direction, type JsonSchema, toNamedJsonSchema } from './json-schema/json-schema.ts'

export type OpenApiFields = Readonly<Record<string, unknown>>

type ComponentKind = 'schemas' | 'responses' | 'parameters' | 'examples' | 'headers'

export interface DocumentWriter {
  /** Returns the JSON Schema. Named schemas in it become components, and it refers to them. */
  describeSchema(schema: z.ZodType, io: Direction): JsonSchema
  /** Throws if two components with the same name differ. */
  addComponent(kind: ComponentKind, name: string, component: object): { readonly $ref: string }
  readonly components: () => Readonly<Record<ComponentKind, OpenApiFields>>
}

// zod's schemas refer to each other in `#/$defs`, but in the document they are components.
const relocate = <T extends object>(described: T): T =>
  JSON.parse(JSON.stringify(described).replaceAll('"#/$defs/', '"#/components/schemas/'))

const sortByName = (components: ReadonlyMap<string, object>): Readonly<Record<string, object>> =>
  Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)))

export const createDocumentWriter = (): DocumentWriter => {
  const kinds = {
    schemas: new Map<string, object>(),
    responses: new Map<string, object>(),
    parameters: new Map<string, object>(),
    examples: new Map<string, object>(),
    headers: new Map<string, object>(),
  }

  const addComponent: DocumentWriter['addComponent'] = (kind, name, component) => {
    const existing = kinds[kind].get(name)
    if (existing && JSON.stringify(existing) !== JSON.stringify(component))
      throw new Error(`the API description would have two ${kind} with the name ${name}: rename one of them`)
    kinds[kind].set(name, component)
    return { $ref: `#/components/${kind}/${name}` }
  }

  const describeSchema: DocumentWriter['describeSchema'] = (schema, io) => {
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
    components: () => ({
      schemas: describeExtensions(sortByName(kinds.schemas)),
      responses: sortByName(kinds.responses),
      parameters: sortByName(kinds.parameters),
      examples: sortByName(kinds.examples),
      headers: sortByName(kinds.headers),
    }),
  }
}
