import * as z from 'zod'
import { type ErrorCode, ErrorMessage, errorRowOf, errorTable } from '#contracts/errors.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { isObject } from '#shared/json.ts'
import { findMissingHeaders } from './compare-headers.ts'
import { type DiffSchema, maskKey, selectField, toDiffSchema } from './diff-schema.ts'
import { type Body, jsonOf, type RecordedResponse, readErrorCode } from './recorded-response.ts'

export const contractOf = (label: Label): Contract => contracts[label]

const errorBodies = new Map<ErrorCode, z.ZodType>()

// Only the gateway's own errors always have a message. Messages are free text, so they are not compared.
const createErrorSchema = (code: ErrorCode) =>
  z.object({ error: z.literal(code), message: ErrorMessage.optional(), ...errorRowOf(code).fields })

const getErrorSchema = (code: ErrorCode) => {
  const schema = errorBodies.get(code) ?? createErrorSchema(code)
  errorBodies.set(code, schema)
  return schema
}

const isDocumentedSuccess = ({ responses }: Contract, { status }: RecordedResponse) =>
  Object.hasOwn(responses, status)

const selectSchema = (contract: Contract, response: RecordedResponse) => {
  if (isDocumentedSuccess(contract, response)) return contract.responses[response.status] ?? null
  const code = readErrorCode(response.body)
  return code && getErrorSchema(code)
}

export const selectDiffSchema = (contract: Contract, response: RecordedResponse): DiffSchema | null => {
  const schema = selectSchema(contract, response)
  return schema && toDiffSchema(schema)
}

const selectPart = (schema: DiffSchema | null, key: PropertyKey): DiffSchema | null => {
  if (schema?.kind === 'union')
    return (
      schema.options.map((option) => selectPart(option.schema, key)).find((part) => part !== null) ?? null
    )
  if (typeof key === 'number') return schema?.kind === 'array' ? schema.element : null
  return selectField(schema, String(key))
}

const maskPart = (schema: DiffSchema | null, key: PropertyKey): string => {
  if (typeof key === 'number') return '*'
  if (schema?.kind !== 'union') return maskKey(schema, String(key))
  return schema.options.map((option) => maskPart(option.schema, key)).find((name) => name !== '?') ?? '?'
}

const pathOf = (schema: z.ZodType, keys: readonly PropertyKey[]) => {
  let part: DiffSchema | null = toDiffSchema(schema)
  const path = ['body']
  for (const key of keys) {
    path.push(maskPart(part, key))
    part = selectPart(part, key)
  }
  return path.join('.')
}

const listIssuePaths = (schema: z.ZodType, value: unknown) => {
  const { success, error } = schema.safeParse(value)
  return success ? [] : error.issues.map(({ path }) => pathOf(schema, path))
}

const listSuccessIssuePaths = (schema: z.ZodType | null, body: Body) => {
  if (schema === null) return body.kind === 'empty' ? [] : ['body']
  return body.kind === 'json' ? listIssuePaths(schema, body.value) : ['body']
}

export const findContractViolations = (contract: Contract, response: RecordedResponse): readonly string[] => {
  if (isDocumentedSuccess(contract, response))
    return [
      ...findMissingHeaders(contract, response),
      ...listSuccessIssuePaths(contract.responses[response.status] ?? null, response.body),
    ]
  if (response.status < 400) return ['status']
  const value = jsonOf(response)
  if (!isObject(value)) return ['body']
  const code = readErrorCode(response.body)
  if (code === null || !errorRowOf(code).statuses.includes(response.status)) return ['body.error']
  return listIssuePaths(getErrorSchema(code), value)
}

const refusals: ReadonlySet<number> = new Set(
  Object.values(errorTable).flatMap(([statuses]) => statuses.filter((status: number) => status < 500)),
)

/**
 * Whether a response's status says what happened, even if its body violates the contract elsewhere. True for a
 * documented success with the right kind of body, for an error code that the error table lists with this status, and
 * for a refusal with an unknown error code.
 */
export const hasReadableStatus = (contract: Contract, response: RecordedResponse): boolean => {
  const { status, body } = response
  if (isDocumentedSuccess(contract, response))
    return (body.kind === 'json') === ((contract.responses[status] ?? null) !== null)
  const code = readErrorCode(body)
  if (code !== null) return errorRowOf(code).statuses.includes(status)
  const value = jsonOf(response)
  return refusals.has(status) && isObject(value) && typeof value.error === 'string'
}
