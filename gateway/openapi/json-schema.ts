import * as z from 'zod'
import { findSchemaName } from '#contracts/docs/schema-names.ts'
import { isObject, type JsonObject } from '#shared/json.ts'

const scalarTypes: readonly unknown[] = ['string', 'integer', 'number', 'boolean']

const joinNull = (schema: JsonObject) => {
  const { anyOf, ...rest } = schema
  const [value, other, ...more] = Array.isArray(anyOf) ? anyOf : []
  const isNullable = isObject(value) && isObject(other) && other.type === 'null' && more.length === 0
  if (!isNullable || !scalarTypes.includes(value.type)) return schema
  const { type, ...described } = value
  const { enum: values } = described
  return {
    ...rest,
    type: [type, 'null'],
    ...described,
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  }
}

/** Describes nullable scalars with a list of two types, which is shorter than a union. */
const joinNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(joinNulls)
  if (!isObject(value)) return value
  return joinNull(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, joinNulls(inner)])))
}

/** A JSON Schema (2020-12), as used in OpenAPI 3.1. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

export type Direction = 'input' | 'output'

// The standard names of the contracts' formats. Formats without one are described by their patterns.
const standardFormats: Readonly<Record<string, string>> = {
  timestamp: 'date-time',
  'timestamp-input': 'date-time',
  'signed-url': 'uri',
  'date-time': 'date-time',
  date: 'date',
  uri: 'uri',
  'uri-reference': 'uri-reference',
  email: 'email',
}

const omitKeys = (record: object, keys: readonly string[]) =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)))

// Generated clients get one type per alternative, and each type requires a different field.
const toAlternatives = (
  { id: _name, properties = {}, required = [], ...rest }: JsonSchema,
  fields: readonly string[],
): JsonSchema => ({
  oneOf: fields.map((field) => ({
    ...rest,
    properties: omitKeys(
      properties,
      fields.filter((other) => other !== field),
    ),
    required: [field, ...required],
  })),
})

// Clients must ignore unknown fields, so responses get no `additionalProperties: false`.
const toPublished = (schema: JsonSchema, io: Direction): JsonSchema => {
  const { openEnum, exactlyOneOf, atLeastOneOf, describedAs, format, ...rest } = schema
  const standard = format === undefined ? undefined : standardFormats[format]
  const published: JsonSchema = { ...rest, ...(standard === undefined ? {} : { format: standard }) }
  if (openEnum !== undefined) {
    delete published.enum
    published['x-extensible-enum'] = openEnum
    delete published.description
    delete published.pattern
  }
  // A constant implies its type.
  if (published.const !== undefined) delete published.type
  // No client needs a list of all countries as a type.
  if (describedAs !== undefined) {
    delete published.enum
    published.pattern = String(describedAs)
  }
  if (standard === 'date' || standard === 'date-time') delete published.pattern
  if (published.maximum === Number.MAX_SAFE_INTEGER) delete published.maximum
  if (published.minimum === Number.MIN_SAFE_INTEGER) delete published.minimum
  if (io === 'output' && published.additionalProperties === false) delete published.additionalProperties
  if (Array.isArray(atLeastOneOf)) published.anyOf = atLeastOneOf.map((field) => ({ required: [field] }))
  return Array.isArray(exactlyOneOf) ? toAlternatives(published, exactlyOneOf) : published
}

// Left out of responses. Clients need limits only for what they send, and a response's limits may change.
const limits = [
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'minItems',
  'maxItems',
]

const toBodySchema = (schema: JsonSchema, io: Direction): JsonSchema => {
  const published = toPublished(schema, io)
  return io === 'output' ? omitKeys(published, limits) : published
}

const replaceKeys = (target: JsonSchema, source: JsonSchema) => {
  for (const key of Object.keys(target)) delete target[key]
  Object.assign(target, source)
}

/** Converts a contract schema to JSON Schema without references. */
export const toJsonSchema = (schema: z.ZodType, io: Direction): JsonSchema => {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => replaceKeys(jsonSchema, toPublished(jsonSchema, io)),
  })
  return described
}

// Adds the schemas' names to the contracts' metadata.
class NamingRegistry extends z.core.$ZodRegistry<Record<string, unknown>> {
  override get(schema: z.core.$ZodType) {
    const id = findSchemaName(schema)
    const metadata: Record<string, unknown> = { ...z.globalRegistry.get(schema) }
    return id === undefined ? metadata : { ...metadata, id }
  }
  override has() {
    return true
  }
}
const registry = new NamingRegistry()

/** A schema, and the schemas that it refers to as `#/$defs/<name>`, by name. */
export interface NamedJsonSchema {
  readonly schema: JsonSchema
  readonly definitions: Readonly<Record<string, JsonSchema>>
}

/** Has a reference for every named schema. If the schema itself is named, the result is a reference. */
export const toNamedJsonSchema = (schema: z.ZodType, io: Direction): NamedJsonSchema => {
  // A named root would not become a reference, so convert it as an array's element.
  const { items, $defs = {} } = z.toJSONSchema(z.array(schema), {
    io,
    unrepresentable: 'any',
    metadata: registry,
    override: ({ jsonSchema }) => replaceKeys(jsonSchema, toBodySchema(jsonSchema, io)),
  })
  const definitions = Object.entries($defs).map(([name, { id: _id, ...definition }]) => [
    name,
    joinNulls(definition),
  ])
  return { schema: asSchema(joinNulls(items)), definitions: Object.fromEntries(definitions) }
}

// The type of `items` also allows `true` and the tuples of older drafts, but `z.array` never produces those.
const asSchema = (items: unknown) => items as JsonSchema
