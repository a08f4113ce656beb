import { fstatSync } from 'node:fs'
import pino from 'pino'
import { batchLines, type LineBatches, maxAtomicBytes } from './batch-lines.ts'
import { escapeNonAscii } from './escape-non-ascii.ts'

type Destination = ReturnType<typeof pino.destination>

// Its types name strings only; a destination with the content mode `buffer` takes nothing else than buffers.
const writeBytes = (destination: Destination, bytes: Buffer) =>
  (destination.write as unknown as (bytes: Buffer) => boolean).call(destination, bytes)

interface LogOutput {
  readonly batches: LineBatches
  /** Writes every buffered line. */
  flush(): void
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
  const writeBatch = (lines: Buffer) => void writeBytes(destination, lines)
  const batches = batchLines(writeBatch, isAtomic ? { maxBytes: maxAtomicBytes, isAscii: true } : {})
  return {
    batches: isAtomic
      ? { ...batches, write: (line: string) => batches.write(escapeNonAscii(line)) }
      : batches,
    flush() {
      batches.flush()
      destination.flushSync()
    },
  }
}
