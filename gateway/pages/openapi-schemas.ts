import * as z from 'zod'
import { type ErrorCode, errorRowOf } from '#contracts/errors.ts'

/** A JSON Schema (2020-12), as used in OpenAPI 3.1. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

// Formats of the contract that have a standard name. All others are described by their patterns.
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

const isDateFormat = (format: string | undefined) => format === 'date' || format === 'date-time'

// Callers must ignore unknown fields, so `additionalProperties: false` is removed from responses.
const toPublished = (schema: JsonSchema, io: 'input' | 'output') => {
  const { openEnum, keyedBy: _keyedBy, format, ...rest } = schema
  const standard = format === undefined ? undefined : standardFormats[format]
  const published: JsonSchema = { ...rest, ...(standard === undefined ? {} : { format: standard }) }
  if (openEnum !== undefined) published['x-extensible-enum'] = openEnum
  if (isDateFormat(standard)) delete published.pattern
  if (published.maximum === Number.MAX_SAFE_INTEGER) delete published.maximum
  if (published.minimum === Number.MIN_SAFE_INTEGER) delete published.minimum
  if (io === 'output' && published.additionalProperties === false) delete published.additionalProperties
  return published
}

const replaceKeys = (target: JsonSchema, source: JsonSchema) => {
  for (const key of Object.keys(target)) delete target[key]
  Object.assign(target, source)
}

/** Converts a contract schema to JSON Schema: `input` for requests, `output` for responses. */
export const toJsonSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => replaceKeys(jsonSchema, toPublished(jsonSchema, io)),
  })
  return described
}

/** Creates the schema of an error response with this code, or with `sentCode` and otherwise the same. */
export const createErrorSchema = (code: ErrorCode, sentCode: string = code): JsonSchema =>
  toJsonSchema(z.object({ error: z.literal(sentCode), ...errorRowOf(code).fields }), 'output')
