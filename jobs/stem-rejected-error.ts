/** Why a stem is not imported, however often it is tried. */
export type StemRejection =
  | 'destination_not_allowed'
  | 'redirected'
  | 'content_encoded'
  | 'too_large'
  | 'not_audio'

/** A stem was rejected for a reason that another attempt would not change. */
export class StemRejectedError extends Error {
  override name = 'StemRejectedError'
  readonly reason: StemRejection
  /** Host and port of the address. Its path and query are not kept because they may be signed. */
  readonly host: string | undefined

  constructor(reason: StemRejection, url: string) {
    super(`stem rejected: ${reason}`)
    this.reason = reason
    this.host = URL.parse(url)?.host
  }
}
