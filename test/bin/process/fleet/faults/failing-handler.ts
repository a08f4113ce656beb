import { ApiError } from '#contracts/errors.ts'
import { replaceHandler } from './replace-handler.ts'

// The gateway does not fall back after an error from the contract, so clients get the 500.
replaceHandler(() => () => Promise.reject(new ApiError('internal_error')))
