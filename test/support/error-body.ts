import { type ErrorCode, errorRowOf } from '#contracts/errors.ts'

/** The body of an error of the gateway: the code with its message, and these fields. */
export const errorBody = (code: ErrorCode, fields: object = {}) => ({
  error: code,
  message: errorRowOf(code).message,
  ...fields,
})
