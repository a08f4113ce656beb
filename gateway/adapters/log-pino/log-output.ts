import { once } from 'node:events'
import { fstatSync } from 'node:fs'
import pino from 'pino'
import { batchLines, type LineBatches, maxAtomicBytes } from './batch-lines.ts'
import { escapeNonAscii } from './escape-non-ascii.ts'

type Destination = ReturnType<typeof pino.destination>

// Its types name strings only; a destination with the content mode `buffer` takes nothing else than buffers.
const writeBytes = (destination: Destination, bytes: Buffer) =>
  (destination.write as unknown as (bytes: Buffer) => boolean).call(destination, bytes)

const maxFlushMs = 2000

interface LogOutput {
  readonly batches: LineBatches
  /** Resolves when every line is written, or after two seconds if standard output takes longer or is closed. */
  flush(): Promise<void>
}

/** Opens standard output; `isShared` says whether other processes write to it as well. */
export const openLogOutput = (isShared: boolean): LogOutput => {
  // A pipe or a socket that is full accepts the parts of two long writes alternately, in the middle of a line.
  const isAtomic = isShared && !fstatSync(1).isFile()
  const destination = pino.destination({
    dest: 1,
    sync: false,
    contentMode: 'buffer',
    ...(isAtomic ? { maxWrite: maxAtomicBytes } : {}),
  })
  let waitingBytes = 0
  destination.on('write', (bytes) => {
    waitingBytes -= bytes
  })
  const writeBatch = (lines: Buffer) => {
    waitingBytes += lines.length
    writeBytes(destination, lines)
  }
  const batches = batchLines(writeBatch, isAtomic ? { maxBytes: maxAtomicBytes, isAscii: true } : {})
  return {
    batches: isAtomic
      ? { ...batches, write: (line: string) => batches.write(escapeNonAscii(line)) }
      : batches,
    // Not `flushSync`: it would write while another thread still writes earlier lines.
    async flush() {
      const signal = AbortSignal.timeout(maxFlushMs)
      try {
        // Further lines may be logged meanwhile.
        for (batches.flush(); waitingBytes > 0; batches.flush()) await once(destination, 'write', { signal })
      } catch {
        // Standard output is where this would be reported.
      }
    },
  }
}
