import type { Log } from '#gateway/observability/log.ts'

interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

/** A log that keeps its lines, so that a test can say what they hold and what they do not. */
export interface RecordingLog extends Log {
  readonly lines: readonly LogLine[]
  /** The lines of one request, oldest first. */
  of(requestId: string): readonly LogLine[]
}

export const createRecordingLog = (): RecordingLog => {
  const lines: LogLine[] = []
  const keep = (level: LogLine['level']) => (fields: LogLine['fields'], message: string) => {
    lines.push({ level, fields, message })
  }
  return {
    lines,
    of: (requestId) => lines.filter(({ fields }) => fields.requestId === requestId),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  }
}
