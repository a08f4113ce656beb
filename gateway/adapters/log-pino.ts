// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
import { fstatSync } from 'node:fs'
import pino from 'pino'
import { createIsoClock } from '../observability/iso-clock.ts'
import type { Log } from '../observability/log.ts'
import { batchLines, maxAtomicLength } from './batch-lines.ts'

// The fields of an object without its braces. One call for all of them: it takes less time than the parts together, and its
// result is one string in memory instead of a tree of them.
const toMembers = (fields: Readonly<Record<string, unknown>>) => {
  const json = JSON.stringify(fields)
  return json === '{}' ? '' : `,${json.slice(1, -1)}`
}

/** Escapes JSON so that it has as many bytes as characters. */
export const escapeNonAscii = (json: string) =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

interface LogOptions {
  /** Whether other processes write to the same standard output. */
  readonly sharesOutput?: boolean
}

// A pipe that is full accepts the parts of two long writes alternately, in the middle of a line.
const openOutput = (sharesOutput: boolean) => {
  if (!sharesOutput || !fstatSync(1).isFIFO()) {
    const destination = pino.destination({ dest: 1, sync: false })
    return { destination, batches: batchLines((lines) => destination.write(lines)) }
  }
  const destination = pino.destination({ dest: 1, sync: false, maxWrite: maxAtomicLength })
  const batches = batchLines((lines) => destination.write(lines), maxAtomicLength)
  return {
    destination,
    batches: { ...batches, write: (line: string) => batches.write(escapeNonAscii(line)) },
  }
}

/**
 * Writes JSON lines to standard output in batches, each with the fields of `base`; `flush` writes all buffered lines.
 */
export const createPinoLog = (
  level: string,
  base: Readonly<Record<string, string>> = {},
  { sharesOutput = false }: LogOptions = {},
): Log & { flush(): void } => {
  const { destination, batches } = openOutput(sharesOutput)
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
  const baseFields = toMembers(base)
  // Every request writes one of these lines. All fields are trusted, so pino's handling of cycles and hostile values is
  // not needed, which takes longer: bench/results/observability.md has the figures.
  const writeInfo: Log['info'] = (fields, message) => {
    const head = `{"level":"info","time":"${isoTime()}"${baseFields}`
    batches.write(`${head}${toMembers(fields)},"msg":${JSON.stringify(message)}}\n`)
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
