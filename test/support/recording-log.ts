import * as z from 'zod'
import { type Log, readTraceFields } from '#gateway/observability/log.ts'

interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

export interface RecordingLog extends Log {
  readonly lines: readonly LogLine[]
  /** One request's lines, oldest first. */
  forRequest(requestId: string): readonly LogLine[]
}

export const createRecordingLog = (): RecordingLog => {
  const lines: LogLine[] = []
  // Drops undefined fields, because no log writes them.
  const record = (level: LogLine['level']) => (own: LogLine['fields'], message: string) => {
    const given = { ...readTraceFields(), ...own }
    const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    lines.push({ level, fields, message })
  }
  return {
    lines,
    forRequest: (requestId) => lines.filter(({ fields }) => fields.requestId === requestId),
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
    request: (fields) => record('info')(fields, 'request'),
  }
}

const LoggedLine = z.looseObject({
  level: z.enum(['info', 'warn', 'error']),
  time: z.string(),
  msg: z.string(),
})

/** Records a line that a gateway on Workers wrote to its console. */
export const recordConsoleLine = (log: RecordingLog, line: string) => {
  const { level, time: _time, msg, ...fields } = LoggedLine.parse(JSON.parse(line))
  log[level](fields, msg)
}
