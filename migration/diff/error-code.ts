import { type ErrorCode, errorTable } from '#contracts/errors.ts'
import { isObject } from './json.ts'
import type { Body } from './recorded-response.ts'

export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(errorTable, code)

/** Reads a body's error code; null if it is not in the error table. */
export const readErrorCode = (body: Body): ErrorCode | null =>
  body.kind === 'json' && isObject(body.value) && isErrorCode(body.value.error) ? body.value.error : null
