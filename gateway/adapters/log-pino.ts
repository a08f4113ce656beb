// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
import pino from 'pino'
import { createIsoClock } from '../observability/iso-clock.ts'
import type { Log } from '../observability/log.ts'
import { batchLines } from './batch-lines.ts'

const needsNoEscape = /^[\w .:/-]*$/

const toJson = (value: unknown) =>
  typeof value === 'string' && needsNoEscape.test(value) ? `"${value}"` : JSON.stringify(value)

/**
 * Writes JSON lines to standard output in batches, each with the fields of `base`; `flush` writes all buffered lines.
 */
export const createPinoLog = (
  level: string,
  base: Readonly<Record<string, string>> = {},
): Log & { flush(): void } => {
  const destination = pino.destination({ dest: 1, sync: false })
  const batches = batchLines((lines) => destination.write(lines))
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
  const baseFields = Object.entries(base)
    .map(([name, value]) => `,"${name}":${toJson(value)}`)
    .join('')
  // Every request writes one of these lines. All fields are trusted, so pino's handling of cycles and hostile values is
  // not needed, which takes longer: bench/results/observability.md has the figures.
  const writeInfo: Log['info'] = (fields, message) => {
    let line = `{"level":"info","time":"${isoTime()}"${baseFields}`
    for (const name in fields) {
      const value = fields[name]
      if (value !== undefined) line += `,"${name}":${toJson(value)}`
    }
    batches.write(`${line},"msg":${toJson(message)}}\n`)
  }
  return {
    info: logger.isLevelEnabled('info') ? writeInfo : () => undefined,
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush() {
      batches.flush()
      destination.flushSync()
    },
  }
}
