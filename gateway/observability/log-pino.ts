import { once } from 'node:events'
import pino from 'pino'
import { createIsoClock } from '#shared/iso-clock.ts'
import { type Log, type RequestFields, readTraceFields } from './log.ts'

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

export const readLostLines = () => lostLines

type Destination = ReturnType<typeof pino.destination>

// The types allow only strings, but with content mode `buffer` the destination accepts only buffers.
const writeBytes = (destination: Destination, bytes: Buffer) =>
  (destination.write as unknown as (bytes: Buffer) => boolean).call(destination, bytes)

/** Encodes lines into batches itself, because pino's destination measures its whole queue for each new line. */
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

const optional = (name: string, value: number | undefined) =>
  value === undefined ? '' : `,"${name}":${value}`

// Formats the fields of a request as JSON, without the braces and with a comma before each.
const formatRequest = (fields: RequestFields) => {
  const { requestId, traceId, method, route, runtime, reason, epoch } = fields
  const { fallbackReason, status, error, unauthorizedReason, account } = fields
  let members = `,"requestId":"${requestId}","traceId":"${traceId}","method":"${method}","route":"${route}","runtime":"${runtime}","reason":"${reason}"`
  if (epoch !== undefined) members += `,"epoch":${epoch}`
  if (fallbackReason !== undefined) members += `,"fallback":true,"fallbackReason":"${fallbackReason}"`
  members += `,"status":${status}`
  if (fields.replayed) members += ',"replayed":true'
  if (error !== undefined) members += `,"error":"${error}"`
  if (unauthorizedReason !== undefined) members += `,"unauthorizedReason":"${unauthorizedReason}"`
  if (account !== undefined) members += `,"account":${JSON.stringify(account)}`
  return `${members},"durationMs":${fields.durationMs}${optional('coreMs', fields.coreMs)}${optional('bytesIn', fields.bytesIn)}${optional('bytesOut', fields.bytesOut)}`
}

/** Await `flush` before exiting, or lines are lost. */
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
      mixin: readTraceFields,
      formatters: { level: (name) => ({ level: name }) },
    },
    { write },
  )
  const baseMembers = Object.entries(base)
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join('')
  // Bypasses pino, because every request writes such a line (dev/bench/results/observability.md).
  const request: Log['request'] = (fields) =>
    write(`{"level":"info","time":"${readTime()}"${baseMembers}${formatRequest(fields)},"msg":"request"}\n`)
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    request: logger.isLevelEnabled('info') ? request : ignore,
    flush,
  }
}
