/** A provider could not do something now. The job is retried with backoff, and not before the provider asks for. */
export class RetryLaterError extends Error {
  override name = 'RetryLaterError'
  /** Null if the provider has not said when to try again. */
  readonly retryAfterS: number | null

  constructor(message: string, retryAfterS: number | null) {
    super(message)
    this.retryAfterS = retryAfterS
  }
}
