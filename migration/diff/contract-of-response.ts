import * as z from 'zod'
import { type ErrorCode, errorTable } from '#contracts/errors.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { isObject } from './json.ts'
import type { Body, RecordedResponse } from './recorded-response.ts'
import { type Shape, toShape } from './shape.ts'

const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(errorTable, code)

type ErrorRow = readonly [statuses: readonly number[], fields?: z.ZodRawShape]

const rowOf = (code: ErrorCode): ErrorRow => errorTable[code]

const errorBodies = new Map<ErrorCode, z.ZodType>()

const errorBodyOf = (code: ErrorCode) => {
  const schema = errorBodies.get(code) ?? z.object({ error: z.literal(code), ...rowOf(code)[1] })
  errorBodies.set(code, schema)
  return schema
}

const codeOf = (body: Body) =>
  body.kind === 'json' && isObject(body.value) && isErrorCode(body.value.error) ? body.value.error : null

const isSuccessOf = ({ responses }: Contract, { status }: RecordedResponse) =>
  Object.hasOwn(responses, status)

const schemaOf = (contract: Contract, answer: RecordedResponse) => {
  if (isSuccessOf(contract, answer)) return contract.responses[answer.status] ?? null
  const code = codeOf(answer.body)
  return code && errorBodyOf(code)
}

/** How the contract tells to compare the body of an answer; `null` where it says nothing of it. */
export const selectResponseShape = (contract: Contract, answer: RecordedResponse): Shape | null => {
  const schema = schemaOf(contract, answer)
  return schema && toShape(schema)
}

const pathOf = (path: readonly PropertyKey[]) =>
  ['body', ...path.map((key) => (typeof key === 'number' ? '*' : String(key)))].join('.')

const faultsOf = (schema: z.ZodType, value: unknown) => {
  const { success, error } = schema.safeParse(value)
  return success ? [] : error.issues.map(({ path }) => pathOf(path))
}

const faultsOfSuccess = (schema: z.ZodType | null, body: Body) => {
  if (schema === null) return body.kind === 'empty' ? [] : ['body']
  return body.kind === 'json' ? faultsOf(schema, body.value) : ['body']
}

/** The paths at which an answer breaks its contract: as the success of its status, else as an error of the table. */
export const findContractViolations = (contract: Contract, answer: RecordedResponse): readonly string[] => {
  if (isSuccessOf(contract, answer))
    return faultsOfSuccess(contract.responses[answer.status] ?? null, answer.body)
  if (answer.status < 400) return ['status']
  if (answer.body.kind !== 'json' || !isObject(answer.body.value)) return ['body']
  const code = codeOf(answer.body)
  if (code === null || !rowOf(code)[0].includes(answer.status)) return ['body.error']
  return faultsOf(errorBodyOf(code), answer.body.value)
}
