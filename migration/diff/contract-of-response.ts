import * as z from 'zod'
import { type ErrorCode, errorRowOf, errorTable } from '#contracts/errors.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { findMissingHeaders } from './compare-headers.ts'
import { isObject } from './json.ts'
import type { Body, RecordedResponse } from './recorded-response.ts'
import { type Shape, toShape } from './shape.ts'

const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(errorTable, code)

const errorBodies = new Map<ErrorCode, z.ZodType>()

const getErrorSchema = (code: ErrorCode) => {
  const schema = errorBodies.get(code) ?? z.object({ error: z.literal(code), ...errorRowOf(code).fields })
  errorBodies.set(code, schema)
  return schema
}

const readErrorCode = (body: Body) =>
  body.kind === 'json' && isObject(body.value) && isErrorCode(body.value.error) ? body.value.error : null

const isDocumentedSuccess = ({ responses }: Contract, { status }: RecordedResponse) =>
  Object.hasOwn(responses, status)

const selectSchema = (contract: Contract, response: RecordedResponse) => {
  if (isDocumentedSuccess(contract, response)) return contract.responses[response.status] ?? null
  const code = readErrorCode(response.body)
  return code && getErrorSchema(code)
}

/** The shape by which the contract compares the body of a response; `null` if the contract does not describe it. */
export const selectResponseShape = (contract: Contract, response: RecordedResponse): Shape | null => {
  const schema = selectSchema(contract, response)
  return schema && toShape(schema)
}

const pathOf = (path: readonly PropertyKey[]) =>
  ['body', ...path.map((key) => (typeof key === 'number' ? '*' : String(key)))].join('.')

const listIssuePaths = (schema: z.ZodType, value: unknown) => {
  const { success, error } = schema.safeParse(value)
  return success ? [] : error.issues.map(({ path }) => pathOf(path))
}

const listSuccessIssuePaths = (schema: z.ZodType | null, body: Body) => {
  if (schema === null) return body.kind === 'empty' ? [] : ['body']
  return body.kind === 'json' ? listIssuePaths(schema, body.value) : ['body']
}

/** The paths at which a response violates the contract: the headers and the schema of its status, or the error table. */
export const findContractViolations = (contract: Contract, response: RecordedResponse): readonly string[] => {
  if (isDocumentedSuccess(contract, response))
    return [
      ...findMissingHeaders(contract, response),
      ...listSuccessIssuePaths(contract.responses[response.status] ?? null, response.body),
    ]
  if (response.status < 400) return ['status']
  if (response.body.kind !== 'json' || !isObject(response.body.value)) return ['body']
  const code = readErrorCode(response.body)
  if (code === null || !errorRowOf(code).statuses.includes(response.status)) return ['body.error']
  return listIssuePaths(getErrorSchema(code), response.body.value)
}
