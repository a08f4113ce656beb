import { once } from 'node:events'
import pino from 'pino'
import { batchLines, type LineBatches } from './batch-lines.ts'

type Destination = ReturnType<typeof pino.destination>

// Its types name strings only; a destination with the content mode `buffer` takes nothing else than buffers.
const writeBytes = (destination: Destination, bytes: Buffer) =>
  (destination.write as unknown as (bytes: Buffer) => boolean).call(destination, bytes)

const maxFlushMs = 2000
/** Of lines that wait to be written. Further ones are lost: without a limit, a full disk would fill the memory. */
const maxWaitingBytes = 16 * 1024 * 1024

const ignore = () => {}

interface LogOutput {
  readonly batches: LineBatches
  /**
   * Resolves when every line is written, or after two seconds if standard output takes longer, is closed or has no space.
   * What is not written then is lost, so that the process can end.
   */
  flush(): Promise<void>
}

/** Opens standard output. */
export const openLogOutput = (): LogOutput => {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    contentMode: 'buffer',
    maxLength: maxWaitingBytes,
  })
  let waitingBytes = 0
  destination.on('write', (bytes) => {
    waitingBytes -= bytes
  })
  destination.on('drop', (lines) => {
    waitingBytes -= lines.length
  })
  // Standard output is where it would be reported. Without a listener, each failed write would be an uncaught error, whose
  // log line fails to be written as well.
  destination.on('error', ignore)
  const writeBatch = (lines: Buffer) => {
    waitingBytes += lines.length
    writeBytes(destination, lines)
  }
  const batches = batchLines(writeBatch)
  return {
    batches,
    // Not `flushSync`: it would write while another thread still writes earlier lines.
    async flush() {
      const timeout = new AbortController()
      // Not `AbortSignal.timeout`, which lets a process end that has nothing else to do.
      const timer = setTimeout(() => timeout.abort(), maxFlushMs)
      const { signal } = timeout
      try {
        // Further lines may be logged meanwhile.
        for (batches.flush(); waitingBytes > 0; batches.flush()) await once(destination, 'write', { signal })
      } catch {
        // pino writes the rest in the `exit` event, where a write that fails or blocks prevents the exit.
        destination.destroy()
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
