import { ApiError } from '#contracts/errors.ts'

/** The error for a path that exists but has no such method. */
export const createMethodNotAllowedError = (allow: readonly string[]) =>
  new ApiError('method_not_allowed', {}, { headers: { allow: allow.join(', ') } })
