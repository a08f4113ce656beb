import type { Failure } from '#db/queries/failure.ts'

/** The analysis of a file exceeds its limits. It is not retried, because a retry would exceed them again. */
export class LimitExceededError extends Error {
  override name = 'LimitExceededError'
}

export const limitFailure: Failure = {
  code: 'processing_limit_exceeded',
  message: 'The file needs more memory or time to process than is allowed.',
}
