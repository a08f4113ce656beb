/** Why processing failed, worded for the owner of the track. It never contains the message of an error. */
export interface Failure {
  readonly code: string
  readonly message: string
}

/** Reads the failure from the columns of a row. */
export const describeFailure = (row: {
  errorCode: string | null
  errorMessage: string | null
}): Failure | null =>
  row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? '' }
