/** `code` is the HTTP status. */
export class ExportRejected extends Error {
  readonly code: string

  constructor(name: 'SpansRejected' | 'MetricsRejected', status: number) {
    super()
    this.name = name
    this.code = String(status)
  }
}

/** If the collector rejected the export, the error has only the status: the rest may repeat what was sent. */
export const toLoggedRejection = (name: 'SpansRejected' | 'MetricsRejected', error: unknown): unknown =>
  error instanceof Error && 'code' in error && typeof error.code === 'number'
    ? new ExportRejected(name, error.code)
    : error
