import type { Failure } from '#db/queries/failure.ts'

/** A file needs more of this machine than one file is given. Trying again would need as much: it is not retried. */
export class LimitExceeded extends Error {
  override name = 'LimitExceeded'
}

export const limitFailure: Failure = {
  code: 'processing_limit_exceeded',
  message: 'The file needs more memory or time to process than is allowed.',
}
