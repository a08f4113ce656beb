import type { InfrastructureCode } from '#db/queries/jobs/failure.ts'

interface RetryLaterOptions {
  readonly retryAfterS?: number | null
  readonly cause?: unknown
}

/**
 * Infrastructure is unavailable for now. The job is retried for a day, but not before the time that a provider asked
 * for.
 */
export class RetryLaterError extends Error {
  override name = 'RetryLaterError'
  readonly code: InfrastructureCode
  readonly retryAfterS: number | null

  constructor(
    code: InfrastructureCode,
    message: string,
    { retryAfterS = null, cause }: RetryLaterOptions = {},
  ) {
    super(message, { cause })
    this.code = code
    this.retryAfterS = retryAfterS
  }
}
