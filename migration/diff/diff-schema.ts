import * as z from 'zod'
import { ErrorMessage, Issue } from '#contracts/errors.ts'
import { definitionOf } from '../model/gate/request-shape.ts'

/** How two values of a field are compared: `plain` values must be equal, all others only need the same format. */
type LeafFormat = 'plain' | 'id' | 'timestamp' | 'token' | 'cursor' | 'signed-url' | 'free-text'

export interface LeafSchema {
  readonly kind: 'leaf'
  readonly format: LeafFormat
  /** Set on the fields of an object that contains a signed URL. One of them is when the URL expires. */
  readonly isBesideUrl?: true
  accepts(value: unknown): boolean
  /** Whether a report may show the value, because it is an enum value of the contract, a number or a boolean. */
  isReportable(value: unknown): boolean
}

export interface ArraySchema {
  readonly kind: 'array'
  readonly element: DiffSchema
  /** The field that identifies an element; null if its index does. */
  readonly key: string | null
}

interface Option {
  readonly schema: DiffSchema
  accepts(value: unknown): boolean
}

export type DiffSchema =
  | LeafSchema
  | ArraySchema
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, DiffSchema> }
  | { readonly kind: 'record'; readonly value: DiffSchema }
  | { readonly kind: 'union'; readonly options: readonly Option[] }

const formats: ReadonlySet<unknown> = new Set<LeafFormat>([
  'id',
  'timestamp',
  'token',
  'cursor',
  'signed-url',
])
const isFormat = (format: unknown): format is LeafFormat => formats.has(format)

// Human-readable messages, which each implementation may word differently.
const freeTexts: ReadonlySet<z.core.$ZodType> = new Set([Issue.shape.message, ErrorMessage])

const enumTypes = ['enum', 'literal', 'boolean', 'number']

const getMetadata = (schema: z.core.$ZodType): Readonly<Record<string, unknown>> =>
  z.globalRegistry.get(schema) ?? {}

const toLeaf = (schema: z.core.$ZodType): LeafSchema => {
  const { format, openEnum } = getMetadata(schema)
  const accepts = (value: unknown) => z.safeParse(schema, value).success
  const openEnumValues = new Set<unknown>(Array.isArray(openEnum) ? openEnum : [])
  const isEnumValue = enumTypes.includes(definitionOf(schema).type)
    ? accepts
    : (value: unknown) => openEnumValues.has(value)
  return {
    kind: 'leaf',
    format: freeTexts.has(schema) ? 'free-text' : isFormat(format) ? format : 'plain',
    accepts,
    isReportable: (value) => value === null || isEnumValue(value),
  }
}

const selectKey = (element: z.core.$ZodType) => {
  const definition = definitionOf(element)
  // Two validators may report the same issues in a different order.
  const isIssue = definition.type === 'object' && definition.shape.message === Issue.shape.message
  return isIssue ? 'path' : null
}

const isSignedUrl = (schema: DiffSchema) => schema.kind === 'leaf' && schema.format === 'signed-url'

const compileFields = (shape: Readonly<Record<string, z.core.$ZodType>>): ReadonlyMap<string, DiffSchema> => {
  const fields = Object.entries(shape).map(([key, field]) => [key, toDiffSchema(field)] as const)
  if (!fields.some(([, field]) => isSignedUrl(field))) return new Map(fields)
  return new Map(
    fields.map(([key, field]) => [key, field.kind === 'leaf' ? { ...field, isBesideUrl: true } : field]),
  )
}

const compile = (schema: z.core.$ZodType): DiffSchema => {
  const definition = definitionOf(schema)
  switch (definition.type) {
    case 'optional':
    case 'nullable':
      return toDiffSchema(definition.innerType)
    case 'object':
      return { kind: 'object', fields: compileFields(definition.shape) }
    case 'array':
      return {
        kind: 'array',
        element: toDiffSchema(definition.element),
        key: selectKey(definition.element),
      }
    case 'record':
      return { kind: 'record', value: toDiffSchema(definition.valueType) }
    case 'union':
      return {
        kind: 'union',
        options: definition.options.map((option) => ({
          schema: toDiffSchema(option),
          accepts: (value) => z.safeParse(option, value).success,
        })),
      }
    default:
      return toLeaf(schema)
  }
}

const cache = new WeakMap<z.core.$ZodType, DiffSchema>()

export const toDiffSchema = (schema: z.core.$ZodType): DiffSchema => {
  const known = cache.get(schema)
  if (known) return known
  const compiled = compile(schema)
  cache.set(schema, compiled)
  return compiled
}

/** The schema of a value that contains no user data, such as a status, count or HTTP token. */
export const unmaskedSchema: LeafSchema = {
  kind: 'leaf',
  format: 'plain',
  accepts: () => true,
  isReportable: () => true,
}

export const selectOption = (schema: DiffSchema | null, value: unknown): DiffSchema | null =>
  schema?.kind === 'union' ? (schema.options.find(({ accepts }) => accepts(value))?.schema ?? null) : schema

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
