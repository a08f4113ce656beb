export type StemRejectionReason =
  | 'destination_not_allowed'
  | 'redirected'
  | 'content_encoded'
  | 'too_large'
  | 'not_audio'

/** A stem was rejected for a reason no retry can change. */
export class StemRejectedError extends Error {
  override name = 'StemRejectedError'
  readonly reason: StemRejectionReason
  /** Host and port of the URL. Path and query are dropped, because they may contain a signature. */
  readonly host: string | undefined

  constructor(reason: StemRejectionReason, url: string) {
    super(`stem rejected: ${reason}`)
    this.reason = reason
    this.host = URL.parse(url)?.host
  }
}
