import { ApiError } from '#contracts/errors.ts'
import { replaceHandler } from './replace-handler.ts'

// A contract error does not fall back, so clients get the 500.
replaceHandler(() => () => Promise.reject(new ApiError('internal_error')))
