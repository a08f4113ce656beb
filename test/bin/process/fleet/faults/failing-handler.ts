import { ApiError } from '#contracts/errors.ts'
import { replaceHandler } from './replace-handler.ts'

// A contract error does not fall back: clients get the 500.
replaceHandler(() => () => Promise.reject(new ApiError('internal_error')))
