// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
import { fstatSync } from 'node:fs'
import pino from 'pino'
import { createIsoClock } from '../observability/iso-clock.ts'
import type { RequestLog } from '../observability/log.ts'
import { batchLines, maxAtomicBytes } from './batch-lines.ts'

// The fields of an object without its braces.
const toMembers = (fields: Readonly<Record<string, unknown>>) => {
  const json = JSON.stringify(fields)
  return json === '{}' ? '' : `,${json.slice(1, -1)}`
}

/** Escapes JSON so that it has as many bytes as characters. */
export const escapeNonAscii = (json: string) =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const ignore = () => {}

interface LogOptions {
  /** Whether other processes write to the same standard output. */
  readonly sharesOutput?: boolean
}

type Destination = ReturnType<typeof pino.destination>

// Its types name strings only; a destination with the content mode `buffer` takes nothing else than buffers.
const writeBytes = (destination: Destination, bytes: Buffer) =>
  (destination.write as unknown as (bytes: Buffer) => boolean).call(destination, bytes)

// A pipe or a socket that is full accepts the parts of two long writes alternately, in the middle of a line.
const openOutput = (sharesOutput: boolean) => {
  const options = { dest: 1, sync: false, contentMode: 'buffer' } as const
  if (!sharesOutput || fstatSync(1).isFile()) {
    const destination = pino.destination(options)
    return { destination, batches: batchLines((lines) => writeBytes(destination, lines)) }
  }
  const destination = pino.destination({ ...options, maxWrite: maxAtomicBytes })
  const batches = batchLines((lines) => writeBytes(destination, lines), {
    maxBytes: maxAtomicBytes,
    isAscii: true,
  })
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
): RequestLog & { flush(): void } => {
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
  const write = (members: string, quotedMessage: string) =>
    batches.write(`{"level":"info","time":"${isoTime()}"${baseFields}${members},"msg":${quotedMessage}}\n`)
  const isEnabled = logger.isLevelEnabled('info')
  // Without pino: all fields are trusted, so its handling of cycles and hostile values is not needed, which takes longer.
  // bench/results/observability.md has the figures.
  return {
    info: isEnabled ? (fields, message) => write(toMembers(fields), JSON.stringify(message)) : ignore,
    infoMembers: isEnabled ? (members, message) => write(members, `"${message}"`) : ignore,
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush() {
      batches.flush()
      destination.flushSync()
    },
  }
}
