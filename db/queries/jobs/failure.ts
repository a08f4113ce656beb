/** Why processing failed, worded for the track's owner. Never contains an error's message. */
export interface Failure {
  readonly code: string
  readonly message: string
}

export const failureColumns = (failure: Failure | null) => ({
  errorCode: failure?.code ?? null,
  errorMessage: failure?.message ?? null,
})

export const describeFailure = (row: {
  errorCode: string | null
  errorMessage: string | null
}): Failure | null =>
  row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? '' }

// Written for a track's owner, who sees them while a job is being retried and after its last retry.
const messages = {
  storage_unavailable: 'The file store is unavailable.',
  database_unavailable: 'The database is unavailable.',
  disk_full: "The processing service's disk is full.",
  disk_unavailable: 'The processing service cannot use its disk.',
  analyser_unavailable: 'The file analyser is unavailable.',
  analysis_unreachable: 'The analysis service could not be reached.',
  stems_unavailable: 'The separated stems could not be fetched.',
  email_unavailable: 'The e-mail provider is unavailable.',
  network_unavailable: 'The network is unavailable.',
} as const

export type InfrastructureCode = keyof typeof messages

export const isInfrastructureCode = (code: unknown): code is InfrastructureCode =>
  typeof code === 'string' && Object.hasOwn(messages, code)

export const infrastructureFailure = (code: InfrastructureCode): Failure => ({
  code,
  message: messages[code],
})
