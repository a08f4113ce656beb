import { once } from 'node:events'
import pino from 'pino'
import { createIsoClock } from '#shared/iso-clock.ts'
import type { Log } from './log.ts'

const maxDelayMs = 250
/** A longer line becomes a batch of its own. */
const maxBatchBytes = 65_536
/** UTF-8 bytes per UTF-16 code unit, at most. */
const maxBytesPerUnit = 3
/** Lines beyond this are dropped. Otherwise, they would pile up in memory while the disk is full. */
const maxWaitingBytes = 16 * 1024 * 1024
const maxFlushMs = 2000

const ignore = () => {}

const newline = 10
let lostLines = 0

const countLost = (lines: Uint8Array) => {
  for (const byte of lines) if (byte === newline) lostLines += 1
}

/** Returns how many lines standard output failed to take since the process started. */
export const readLostLines = () => lostLines

type Destination = ReturnType<typeof pino.destination>

// The types allow only strings, but with content mode `buffer` the destination accepts only buffers.
const writeBytes = (destination: Destination, bytes: Buffer) =>
  (destination.write as unknown as (bytes: Buffer) => boolean).call(destination, bytes)

/**
 * Opens standard output. Encodes lines into batches itself, because pino's destination measures its whole queue for
 * each new line.
 */
const openOutput = () => {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    contentMode: 'buffer',
    maxLength: maxWaitingBytes,
  })
  // Write errors are ignored, because standard output is the only place to report them. Without a listener, each failed
  // write would raise an uncaught error, and logging that would fail too.
  destination.on('error', ignore)
  destination.on('drop', countLost)
  let isWriting = false
  destination.on('drain', () => {
    isWriting = false
  })
  let batch = Buffer.allocUnsafeSlow(maxBatchBytes)
  let length = 0
  let timer: ReturnType<typeof setTimeout> | null = null

  const writeBatch = () => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (length === 0) return
    const lines = batch.subarray(0, length)
    // A short batch is copied, so that it does not hold a whole buffer while it waits. A long batch is passed on in its
    // buffer, and further lines go into a new buffer.
    const isShort = length < maxBatchBytes / 2
    if (!isShort) batch = Buffer.allocUnsafeSlow(maxBatchBytes)
    length = 0
    isWriting = true
    writeBytes(destination, isShort ? Buffer.from(lines) : lines)
  }

  return {
    write(line: string) {
      const maxBytes = line.length * maxBytesPerUnit
      if (length + maxBytes > maxBatchBytes) writeBatch()
      if (maxBytes > maxBatchBytes) {
        isWriting = true
        writeBytes(destination, Buffer.from(line))
        return
      }
      length += batch.write(line, length)
      timer ??= setTimeout(writeBatch, maxDelayMs).unref()
    },

    /**
     * Resolves once every line is written, or after two seconds. Whatever standard output has not taken by then is
     * lost, so the process can end.
     */
    // Not `flushSync`, which would write while another thread is still writing earlier lines.
    async flush() {
      const timeout = new AbortController()
      // Not `AbortSignal.timeout`, which does not keep an otherwise idle process alive.
      const timeoutTimer = setTimeout(() => timeout.abort(), maxFlushMs)
      const { signal } = timeout
      try {
        // More lines may arrive while this waits.
        for (writeBatch(); isWriting; writeBatch()) await once(destination, 'drain', { signal })
      } catch {
        // pino would write the rest in the `exit` event, where a failing or blocked write prevents the exit.
        destination.destroy()
      } finally {
        clearTimeout(timeoutTimer)
      }
    },
  }
}

// printable ASCII except quotation marks and backslashes
const needsNoEscape = /^[ !#-[\]-~]*$/

// `JSON.stringify` takes twice as long for the fields of a request.
const toJson = (value: unknown): string | undefined => {
  if (typeof value === 'string' && needsNoEscape.test(value)) return `"${value}"`
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : JSON.stringify(value)
}

// Formats an object's fields as JSON, without the braces and with a comma before each.
const toMembers = (fields: Readonly<Record<string, unknown>>) => {
  let members = ''
  for (const name in fields) {
    const value = fields[name]
    if (value !== undefined) members += `,"${name}":${toJson(value)}`
  }
  return members
}

/**
 * Writes JSON lines to standard output, each with the fields of `base`. Await `flush` before exiting, or lines are
 * lost.
 */
export const createPinoLog = (
  level: string,
  base: Readonly<Record<string, string>> = {},
): Log & { flush(): Promise<void> } => {
  const { write, flush } = openOutput()
  const readTime = createIsoClock()
  const logger = pino(
    {
      level,
      base,
      timestamp: () => `,"time":"${readTime()}"`,
      formatters: { level: (name) => ({ level: name }) },
    },
    { write },
  )
  const baseMembers = toMembers(base)
  // Bypasses pino, because every request logs such a line (dev/bench/results/observability.md).
  const info: Log['info'] = (fields, message) =>
    write(
      `{"level":"info","time":"${readTime()}"${baseMembers}${toMembers(fields)},"msg":${JSON.stringify(message)}}\n`,
    )
  return {
    info: logger.isLevelEnabled('info') ? info : ignore,
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush,
  }
}
