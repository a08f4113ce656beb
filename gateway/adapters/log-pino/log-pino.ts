// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
import pino from 'pino'
import { createIsoClock } from '#shared/iso-clock.ts'
import { type RequestLog, requestFields } from '../../observability/log.ts'
import { createRequestEncoder } from './encode-request.ts'
import { escapeNonAscii } from './escape-non-ascii.ts'
import { openLogOutput } from './log-output.ts'

// The fields of an object without its braces.
const toMembers = (fields: Readonly<Record<string, unknown>>) => {
  const json = JSON.stringify(fields)
  return json === '{}' ? '' : `,${json.slice(1, -1)}`
}

const ignore = () => {}

/**
 * Writes JSON lines to standard output in batches, each with the fields of `base`. Await `flush` before the process exits,
 * or buffered lines are lost.
 */
export const createPinoLog = (
  level: string,
  base: Readonly<Record<string, string>> = {},
): RequestLog & { flush(): Promise<void> } => {
  const { batches, flush } = openLogOutput()
  const isoTime = createIsoClock()
  const logger = pino(
    {
      level,
      base,
      timestamp: () => `,"time":"${isoTime()}"`,
      formatters: { level: (name) => ({ level: name }) },
    },
    batches,
  )
  const baseFields = escapeNonAscii(toMembers(base))
  const formatHead = (time: string) => `{"level":"info","time":"${time}"${baseFields}`
  const write: RequestLog['info'] = (fields, message) =>
    batches.write(`${formatHead(isoTime())}${toMembers(fields)},"msg":${JSON.stringify(message)}}\n`)
  const encode = createRequestEncoder(batches, isoTime, formatHead)
  const writeRequest: RequestLog['infoRequest'] = (series, line, message) => {
    if (!encode(series, line, message)) write(requestFields(series, line), message)
  }
  const isEnabled = logger.isLevelEnabled('info')
  // Without pino: all fields are trusted, so its handling of cycles and hostile values is not needed, which takes longer.
  // bench/results/observability.md has the figures.
  return {
    info: isEnabled ? write : ignore,
    infoRequest: isEnabled ? writeRequest : ignore,
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush,
  }
}
