import * as z from 'zod'
import { codesOfCore, type ErrorCode, ErrorMessage, errorRowOf } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import type { DocumentWriter } from './document-writer.ts'
import { describeHeaders, describeServiceHeaders } from './headers.ts'
import type { JsonSchema } from './json-schema.ts'
import {
  commonErrors,
  idempotencyErrors,
  isReplacedByCore,
  listErrorCodes,
  listErrorHeaders,
  listErrorStatuses,
} from './route-errors.ts'

/** Converts `track_not_found` to the component name `TrackNotFound`. */
const toComponentName = (code: string) =>
  code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const sentCodesOf = (code: ErrorCode): readonly string[] =>
  isReplacedByCore(code) ? [code, codesOfCore[code]] : [code]

const listOwnFields = (code: ErrorCode) =>
  Object.entries(errorRowOf(code).fields).filter(([name]) => name !== 'message')

// A code with fields gets a named schema: `ValidationError`, `QuotaExceeded`.
const describeErrorWithFields = (code: ErrorCode, writer: DocumentWriter): JsonSchema => {
  const { fields } = errorRowOf(code)
  const schema = z.object({
    error: z.enum([...sentCodesOf(code)]),
    // Errors from the core may lack a message, so only codes that always have one require it.
    message: 'message' in fields ? ErrorMessage : ErrorMessage.optional(),
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

const describeErrorBody = (
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

const sharedNames: Readonly<Record<string, string>> = {
  'validation_error,invalid_json': 'InvalidInput',
  'validation_error,invalid_json,billing_bad_input': 'InvalidBillingInput',
  'access_code_required,downloads_disabled': 'AccessCodeRequiredOrDownloadsDisabled',
  'library_not_found,library_share_not_found': 'LibraryOrShareNotFound',
  'library_not_found,track_not_found': 'LibraryOrTrackNotFound',
  'pack_link_not_found,track_not_found': 'PackLinkOrTrackNotFound',
  'pack_link_not_found,track_not_found,playback_not_found': 'PackLinkOrPlaybackNotFound',
  'pack_not_found,track_not_found': 'PackOrTrackNotFound',
  'track_not_found,share_link_not_found': 'TrackOrShareLinkNotFound',
  'track_not_found,version_not_found': 'TrackOrVersionNotFound',
}

const describeCode = (code: ErrorCode) => `\`${code}\`: ${errorRowOf(code).message}`

const describeCodes = (codes: readonly ErrorCode[]) =>
  codes.length === 1 ? codes.map(describeCode).join() : `${codes.map((code) => `\`${code}\``).join(', ')}.`

interface StatusErrors {
  readonly status: number
  readonly codes: readonly ErrorCode[]
  /** Whether `default` describes further codes with this status. */
  readonly hasOthers: boolean
}

const describeStatus = ({ codes, hasOthers }: StatusErrors, writer: DocumentWriter) => {
  const [first, ...others] = codes
  const name = first && others.length === 0 ? toComponentName(first) : sharedNames[codes.join()]
  const response = {
    description: describeCodes(codes),
    ...describeHeaders(listErrorHeaders(codes), writer),
    content: { 'application/json': { schema: describeErrorBody(codes, hasOthers, writer) } },
  }
  return name === undefined ? response : writer.addComponent('responses', name, response)
}

const describeOtherErrors = (writer: DocumentWriter) =>
  writer.addComponent('responses', 'Error', {
    description: [
      'Any error that the operation does not list. Its status may be one that the operation does list. A status of 500 or more means that the service or a dependency has failed. If there is a `Retry-After` header, wait that long, then repeat the request.',
      describeCodes(commonErrors),
      'Writes made with an account’s token may also return these errors, most of them only if the request has an `Idempotency-Key`.',
      describeCodes(idempotencyErrors),
    ].join('\n\n'),
    headers: {
      ...describeServiceHeaders(writer),
      ...describeHeaders(listErrorHeaders([...commonErrors, ...idempotencyErrors]), writer).headers,
    },
    content: {
      'application/json': {
        schema: describeErrorBody(['internal_error'], false, writer),
        example: { error: 'internal_error', message: errorRowOf('internal_error').message },
      },
    },
  })

// Whether `default` describes an error because every route or every write can return it: any with a status of 500 or
// more, a body that is too large, the account's write limit, and errors of idempotency keys.
const isDescribedOnce = (status: number, code: ErrorCode) =>
  status >= 500 || status === 413 || idempotencyErrors.includes(code)

const listStatusErrors = (label: Label): readonly StatusErrors[] => {
  const codes = listErrorCodes(label)
  const statuses = [...new Set(codes.flatMap((code) => listErrorStatuses(label, code)))]
  return statuses.map((status) => {
    const all = codes.filter((code) => listErrorStatuses(label, code).includes(status))
    const own = all.filter((code) => !isDescribedOnce(status, code))
    return { status, codes: own, hasOthers: own.length < all.length }
  })
}

/** `default` has those that every operation can return. */
export const describeErrorResponses = (label: Label, writer: DocumentWriter) => {
  const described = listStatusErrors(label).filter(({ codes }) => codes.length > 0)
  return {
    ...Object.fromEntries(described.map((errors) => [errors.status, describeStatus(errors, writer)])),
    default: describeOtherErrors(writer),
  }
}
