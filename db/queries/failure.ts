/** Why work failed, in words of our own for the owner of the track: never the text of an error. */
export interface Failure {
  readonly code: string
  readonly message: string
}

/** The failure that a row holds in two columns. */
export const describeFailure = (row: {
  errorCode: string | null
  errorMessage: string | null
}): Failure | null =>
  row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? '' }
