import { once } from 'node:events'
import pino from 'pino'
import { createIsoClock } from '#shared/iso-clock.ts'
import type { Log } from '../observability/log.ts'

const maxDelayMs = 250
/** In characters, unless a single line has more. */
const maxBatchLength = 16_000
/** Of lines that wait to be written. Further ones are lost: without a limit, a full disk would fill the memory. */
const maxWaitingBytes = 16 * 1024 * 1024
const maxFlushMs = 2000

const ignore = () => {}

/** Opens standard output. Lines are joined here, because pino's destination measures all that waits for each of them. */
const openOutput = () => {
  const destination = pino.destination({ dest: 1, sync: false, maxLength: maxWaitingBytes })
  // Standard output is where it would be reported. Without a listener, each failed write would be an uncaught error, whose
  // log line fails to be written as well.
  destination.on('error', ignore)
  let isWriting = false
  destination.on('drain', () => {
    isWriting = false
  })
  let batch = ''
  let timer: ReturnType<typeof setTimeout> | null = null

  const writeBatch = () => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (batch === '') return
    isWriting = true
    destination.write(batch)
    batch = ''
  }

  return {
    write(line: string) {
      if (batch.length + line.length > maxBatchLength) writeBatch()
      batch += line
      timer ??= setTimeout(writeBatch, maxDelayMs).unref()
    },

    /**
     * Resolves when every line is written, or after two seconds if standard output takes longer, is closed or has no
     * space. What is not written then is lost, so that the process can end.
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

// The fields of an object without its braces.
const toMembers = (fields: Readonly<Record<string, unknown>>) => {
  const json = JSON.stringify(fields)
  return json === '{}' ? '' : `,${json.slice(1, -1)}`
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
  // Without pino, because each request has such a line (bench/results/observability.md).
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
