// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
import { LineBuffer } from './line-buffer.ts'

export interface LineBatches {
  write(line: string): void
  /**
   * Where a line of up to `neededBytes` bytes may be appended, at once, before any other call; null if a batch has no space
   * for that many.
   */
  reserve(neededBytes: number): LineBuffer | null
  /** Writes all buffered lines. */
  flush(): void
}

const defaultMaxBytes = 65_536
const maxDelayMs = 250
/** What a UTF-16 code unit has at most in UTF-8. */
const maxBytesPerUnit = 3

/**
 * Encodes lines into one buffer and writes them in batches of up to `maxBytes`, unless a single line may be longer. Joined
 * strings would be measured, flattened and encoded several times until they are written, which takes longer than all other
 * work on a line.
 */
export const batchLines = (
  writeBatch: (lines: Buffer) => void,
  { maxBytes = defaultMaxBytes }: { readonly maxBytes?: number } = {},
): LineBatches => {
  let buffer: LineBuffer | null = null
  let timer: ReturnType<typeof setTimeout> | null = null

  const flush = () => {
    if (timer) clearTimeout(timer)
    timer = null
    if (buffer === null || buffer.length === 0) return
    const batch = buffer.bytes.subarray(0, buffer.length)
    // Copied if it is short, because batches may wait long. A long one is written while further lines arrive.
    const isShort = batch.length < maxBytes / 2
    if (isShort) buffer.length = 0
    else buffer = null
    writeBatch(isShort ? Buffer.from(batch) : batch)
  }

  const reserve = (neededBytes: number) => {
    if (buffer !== null && buffer.length + neededBytes > maxBytes) flush()
    if (neededBytes > maxBytes) return null
    buffer ??= new LineBuffer(maxBytes)
    timer ??= setTimeout(flush, maxDelayMs).unref()
    return buffer
  }

  return {
    write(line) {
      const reserved = reserve(line.length * maxBytesPerUnit)
      if (reserved === null) writeBatch(Buffer.from(line))
      else reserved.length += reserved.bytes.write(line, reserved.length)
    },
    reserve,
    flush,
  }
}
