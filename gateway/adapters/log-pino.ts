import pino from 'pino'
import type { Log } from '../log.ts'

/** Writes JSON lines to standard output in batches; `flush` writes what is still held back. */
export const createPinoLog = (level: string): Log & { flush(): void } => {
  const destination = pino.destination({ dest: 1, sync: false, minLength: 8192, periodicFlush: 250 })
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (name) => ({ level: name }) },
    },
    destination,
  )
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush: () => destination.flushSync(),
  }
}
