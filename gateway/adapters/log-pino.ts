import { once } from 'node:events'
import pino from 'pino'
import { createIsoClock } from '#shared/iso-clock.ts'
import type { Log } from '../observability/log.ts'

const maxDelayMs = 250
/** Unless a single line has more. */
const maxBatchBytes = 65_536
/** What a UTF-16 code unit has at most in UTF-8. */
const maxBytesPerUnit = 3
/** Of lines that wait to be written. Further ones are lost: without a limit, a full disk would fill the memory. */
const maxWaitingBytes = 16 * 1024 * 1024
const maxFlushMs = 2000

const ignore = () => {}

const newline = 10
let lostLines = 0

const countLost = (lines: Uint8Array) => {
  for (const byte of lines) if (byte === newline) lostLines += 1
}

/** How many lines standard output did not take in time, since the process started. */
export const readLostLines = () => lostLines

type Destination = ReturnType<typeof pino.destination>

// Its types name strings only; a destination with the content mode `buffer` takes nothing else than buffers.
const writeBytes = (destination: Destination, bytes: Buffer) =>
  (destination.write as unknown as (bytes: Buffer) => boolean).call(destination, bytes)

/**
 * Opens standard output. Lines are encoded into batches here, because pino's destination measures all that waits for each of
 * them. A joined string would be encoded as well, but only after its lines have left the processor's caches.
 */
const openOutput = () => {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    contentMode: 'buffer',
    maxLength: maxWaitingBytes,
  })
  // Standard output is where it would be reported. Without a listener, each failed write would be an uncaught error, whose
  // log line fails to be written as well.
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
    // Copied if it is short, because batches may wait long. A long one is written while further lines arrive.
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
     * Resolves when every line is written, or after two seconds if standard output takes longer, is closed or has no
     * space. What is not written then is lost, so the process can end.
     */
    // Not `flushSync`: it would write while another thread still writes earlier lines.
    async flush() {
      const timeout = new AbortController()
      // Not `AbortSignal.timeout`, which lets a process end that has nothing else to do.
      const timeoutTimer = setTimeout(() => timeout.abort(), maxFlushMs)
      const { signal } = timeout
      try {
        // Further lines may be logged meanwhile.
        for (writeBatch(); isWriting; writeBatch()) await once(destination, 'drain', { signal })
      } catch {
        // pino writes the rest in the `exit` event, where a write that fails or blocks prevents the exit.
        destination.destroy()
      } finally {
        clearTimeout(timeoutTimer)
      }
    },
  }
}

// Printable ASCII without quotation marks and backslashes.
const needsNoEscape = /^[ !#-[\]-~]*$/

// `JSON.stringify` takes twice as long for an object with the fields of a request.
const toJson = (value: unknown): string | undefined => {
  if (typeof value === 'string' && needsNoEscape.test(value)) return `"${value}"`
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : JSON.stringify(value)
}

// The fields of an object without its braces.
const toMembers = (fields: Readonly<Record<string, unknown>>) => {
  let members = ''
  for (const name in fields) {
    const value = fields[name]
    if (value !== undefined) members += `,"${name}":${toJson(value)}`
  }
  return members
}

/**
 * Writes JSON lines to standard output, each with the fields of `base`. Await `flush` before the process exits, or lines are
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
  // Without pino, because each request has such a line (dev/bench/results/observability.md).
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
