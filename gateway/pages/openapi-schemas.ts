import * as z from 'zod'
import { type ErrorCode, errorTable } from '#contracts/errors.ts'

/** A JSON Schema (2020-12) as OpenAPI 3.1 takes it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

// Formats of the contract's own that readers of a schema know by a standard name; patterns say the others better.
const standardFormats: Readonly<Record<string, string>> = {
  timestamp: 'date-time',
  'timestamp-input': 'date-time',
  'signed-url': 'uri',
  'date-time': 'date-time',
  date: 'date',
  uri: 'uri',
  email: 'email',
}

const isMoment = (format: string | undefined) => format === 'date' || format === 'date-time'

// Callers must ignore fields they do not know, so that no answer is described as closed.
const toPublished = (schema: JsonSchema, io: 'input' | 'output') => {
  const { openEnum, keyedBy: _keyedBy, format, ...rest } = schema
  const standard = format === undefined ? undefined : standardFormats[format]
  const published: JsonSchema = { ...rest, ...(standard === undefined ? {} : { format: standard }) }
  if (openEnum !== undefined) published['x-extensible-enum'] = openEnum
  if (isMoment(standard)) delete published.pattern
  if (published.maximum === Number.MAX_SAFE_INTEGER) delete published.maximum
  if (published.minimum === Number.MIN_SAFE_INTEGER) delete published.minimum
  if (io === 'output' && published.additionalProperties === false) delete published.additionalProperties
  return published
}

const replace = (target: JsonSchema, source: JsonSchema) => {
  for (const key of Object.keys(target)) delete target[key]
  Object.assign(target, source)
}

/** A schema of the contract as JSON Schema: `input` is what a caller sends, `output` what a caller gets. */
export const toJsonSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => replace(jsonSchema, toPublished(jsonSchema, io)),
  })
  return described
}

/** The body of an error with this code. */
export const createErrorSchema = (code: ErrorCode): JsonSchema => {
  const [, fields = {}] = errorTable[code] as readonly [unknown, z.ZodRawShape?]
  return toJsonSchema(z.object({ error: z.literal(code), ...fields }), 'output')
}
