import { type ErrorCode, errorRowOf, messagesOfReads } from '#contracts/errors.ts'

/** The body of a gateway error: the code with its message, and the given fields. */
export const errorBody = (code: ErrorCode, fields: object = {}) => ({
  error: code,
  message: errorRowOf(code).message,
  ...fields,
})

export const errorOfRead = (code: ErrorCode) => ({
  error: code,
  message: messagesOfReads[code],
})
