import * as z from 'zod'
import { errorTable, Issue } from '#contracts/errors.ts'

/** How the two values of a field are compared: `plain` ones are equal, the others are alike in form. */
type Format = 'plain' | 'id' | 'timestamp' | 'token' | 'cursor' | 'signed-url' | 'free-text'

export interface LeafShape {
  readonly kind: 'leaf'
  readonly format: Format
  /** Whether the schema takes the value. */
  accepts(value: unknown): boolean
  /** Whether the value may be shown: a word of the contract, a number or a boolean. */
  isHarmless(value: unknown): boolean
}

interface ObjectShape {
  readonly kind: 'object'
  readonly fields: ReadonlyMap<string, Shape>
}

export interface ArrayShape {
  readonly kind: 'array'
  readonly element: Shape
  /** What tells the elements apart: their place, one of their fields, or all that they are. */
  readonly by: 'place' | 'content' | { readonly field: string }
}

interface RecordShape {
  readonly kind: 'record'
  readonly value: Shape
}

interface UnionShape {
  readonly kind: 'union'
  readonly options: readonly { readonly shape: Shape; accepts(value: unknown): boolean }[]
}

/** What a schema says of how its values are compared, made ready for use. */
export type Shape = LeafShape | ObjectShape | ArrayShape | RecordShape | UnionShape

const formats: ReadonlySet<unknown> = new Set<Format>(['id', 'timestamp', 'token', 'cursor', 'signed-url'])
const isFormat = (format: unknown): format is Format => formats.has(format)

// Written for people and worded by whoever writes them.
const freeTexts: ReadonlySet<z.core.$ZodType> = new Set([
  Issue.shape.message,
  errorTable.invalid_json[1].message,
])

const wordTypes = ['enum', 'literal', 'boolean', 'number']

// Only the union of all schemas tells their definitions apart by `type`; the common type of a schema does not.
const definitionOf = (schema: z.core.$ZodType) => (schema as z.core.$ZodTypes)._zod.def

const metaOf = (schema: z.core.$ZodType): Readonly<Record<string, unknown>> =>
  z.globalRegistry.get(schema) ?? {}

const leafOf = (schema: z.core.$ZodType): LeafShape => {
  const { format, openEnum } = metaOf(schema)
  const accepts = (value: unknown) => z.safeParse(schema, value).success
  const words = new Set<unknown>(Array.isArray(openEnum) ? openEnum : [])
  const isWord = wordTypes.includes(definitionOf(schema).type)
    ? accepts
    : (value: unknown) => words.has(value)
  return {
    kind: 'leaf',
    format: freeTexts.has(schema) ? 'free-text' : isFormat(format) ? format : 'plain',
    accepts,
    isHarmless: (value) => value === null || isWord(value),
  }
}

const identityOf = (schema: z.core.$ZodType, element: z.core.$ZodType): ArrayShape['by'] => {
  const { keyedBy, unordered } = metaOf(schema)
  if (typeof keyedBy === 'string') return { field: keyedBy }
  if (unordered === true) return 'content'
  const definition = definitionOf(element)
  // Two validators find the same faults in different orders.
  const isIssue = definition.type === 'object' && definition.shape.message === Issue.shape.message
  return isIssue ? { field: 'path' } : 'place'
}

const compile = (schema: z.core.$ZodType): Shape => {
  const definition = definitionOf(schema)
  switch (definition.type) {
    case 'optional':
    case 'nullable':
      return toShape(definition.innerType)
    case 'object':
      return {
        kind: 'object',
        fields: new Map(Object.entries(definition.shape).map(([key, field]) => [key, toShape(field)])),
      }
    case 'array':
      return {
        kind: 'array',
        element: toShape(definition.element),
        by: identityOf(schema, definition.element),
      }
    case 'record':
      return { kind: 'record', value: toShape(definition.valueType) }
    case 'union':
      return {
        kind: 'union',
        options: definition.options.map((option) => ({
          shape: toShape(option),
          accepts: (value) => z.safeParse(option, value).success,
        })),
      }
    default:
      return leafOf(schema)
  }
}

const compiled = new WeakMap<z.core.$ZodType, Shape>()

/** The shape of a response schema; compiled once. */
export const toShape = (schema: z.core.$ZodType): Shape => {
  const known = compiled.get(schema)
  if (known) return known
  const shape = compile(schema)
  compiled.set(schema, shape)
  return shape
}

/** Of what is not a value of a caller: a status, a count, a word of HTTP. */
export const shown: LeafShape = {
  kind: 'leaf',
  format: 'plain',
  accepts: () => true,
  isHarmless: () => true,
}
