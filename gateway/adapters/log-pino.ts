// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
import pino from 'pino'
import { createIsoClock } from '../observability/iso-clock.ts'
import type { Log } from '../observability/log.ts'
import { batchLines } from './batch-lines.ts'

const needsNoEscape = /^[\w .:/-]*$/

const jsonOf = (value: unknown) =>
  typeof value === 'string' && needsNoEscape.test(value) ? `"${value}"` : JSON.stringify(value)

/** Writes JSON lines to standard output in batches; `flush` writes what is still held back. */
export const createPinoLog = (level: string): Log & { flush(): void } => {
  const destination = pino.destination({ dest: 1, sync: false })
  const batches = batchLines((lines) => destination.write(lines))
  const isoTime = createIsoClock()
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${isoTime()}"`,
      formatters: { level: (name) => ({ level: name }) },
    },
    batches,
  )
  // Every request writes such a line. Its fields are ours, so that none needs pino's care for cycles and hostile
  // values, which takes several times as long.
  const writeInfo: Log['info'] = (fields, message) => {
    let line = `{"level":"info","time":"${isoTime()}"`
    for (const name in fields) {
      const value = fields[name]
      if (value !== undefined) line += `,"${name}":${jsonOf(value)}`
    }
    batches.write(`${line},"msg":${jsonOf(message)}}\n`)
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
