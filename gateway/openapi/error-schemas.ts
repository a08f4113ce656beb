import * as z from 'zod'
import { codesOfCore, type ErrorCode, ErrorMessage, errorRowOf } from '#contracts/errors.ts'
import type { DocumentWriter } from './document-writer.ts'
import type { JsonSchema } from './json-schema/json-schema.ts'
import { isReplacedByCore } from './route-errors.ts'

/** Converts `track_not_found` to the component name `TrackNotFound`. */
export const toComponentName = (code: string) =>
  code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const sentCodesOf = (code: ErrorCode): readonly string[] =>
  isReplacedByCore(code) ? [code, codesOfCore[code]] : [code]

// Errors from the core may lack a message, so only codes that always have one require it.
const describeMessage = (isRequired: boolean) => ({
  message: isRequired ? ErrorMessage : ErrorMessage.optional(),
})

const listOwnFields = (code: ErrorCode) =>
  Object.entries(errorRowOf(code).fields).filter(([name]) => name !== 'message')

// A code with fields gets a named schema: `ValidationError`, `QuotaExceeded`.
const describeErrorWithFields = (code: ErrorCode, writer: DocumentWriter): JsonSchema => {
  const { fields } = errorRowOf(code)
  const schema = z.object({
    error: z.enum([...sentCodesOf(code)]),
    ...describeMessage('message' in fields),
    ...Object.fromEntries(listOwnFields(code)),
  })
  return writer.addComponent('schemas', toComponentName(code), writer.describeSchema(schema, 'output'))
}

export const errorSchema = {
  type: 'object',
  description:
    'Act on `error`, which is stable; more codes may be added. Show `message`, which may change; errors of the legacy core may have none.',
  properties: { error: { type: 'string' }, message: { type: 'string' } },
  required: ['error'],
}

const errorRef: JsonSchema = { $ref: '#/components/schemas/Error' }

export const describeErrorBody = (
  codes: readonly ErrorCode[],
  hasOthers: boolean,
  writer: DocumentWriter,
): JsonSchema => {
  const detailed = codes.filter((code) => listOwnFields(code).length > 0)
  const schemas = detailed.map((code) => describeErrorWithFields(code, writer))
  if (hasOthers || detailed.length < codes.length) schemas.push(errorRef)
  // `anyOf` instead of `oneOf`, because an error with fields also matches the plain schema.
  return schemas.length === 1 && schemas[0] ? schemas[0] : { anyOf: schemas }
}
