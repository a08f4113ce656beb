import type { InfrastructureCode } from '#db/queries/jobs/failure.ts'

interface RetryLaterOptions {
  /** Seconds that a provider asks to wait; absent if it has not said when to try again. */
  readonly retryAfterS?: number | null
  readonly cause?: unknown
}

/** Infrastructure is unavailable for now. The job is retried for a day, and not before a provider asks for. */
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
