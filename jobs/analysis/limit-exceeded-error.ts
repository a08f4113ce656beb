import type { Failure } from '#db/queries/failure.ts'

/** The analysis of a file exceeds its limits. It is not retried, because a retry would exceed them again. */
export class LimitExceededError extends Error {
  override name = 'LimitExceededError'
}

/** The process that analyses the file has crashed on each of several attempts. */
export const crashFailure: Failure = {
  code: 'analysis_crashed',
  message: 'The file cannot be analysed: the analyser crashes each time that it reads it.',
}

export const limitFailure: Failure = {
  code: 'processing_limit_exceeded',
  message: 'The file needs more memory or time to process than is allowed.',
}
