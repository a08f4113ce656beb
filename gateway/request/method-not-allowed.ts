import { ApiError } from '#contracts/errors.ts'

/** The 405 of a path that has routes or pages, but none for this method; `allow` lists the methods that it has. */
export const methodNotAllowed = (allow: readonly string[]) =>
  new ApiError('method_not_allowed', {}, { headers: { allow: allow.join(', ') } })
