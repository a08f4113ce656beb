import { ApiError } from '#contracts/errors.ts'
import type { EdgeErrorCode } from '../edge/inspect-request.ts'
import { allMethods } from './response.ts'

/** Creates the error for a request that is rejected before it is routed. */
export const createEdgeError = (code: EdgeErrorCode): ApiError<EdgeErrorCode> =>
  code === 'method_not_allowed'
    ? new ApiError(code, {}, { headers: { allow: allMethods } })
    : new ApiError(code)
