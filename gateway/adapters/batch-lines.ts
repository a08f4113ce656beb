// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
export interface LineBatches {
  write(line: string): void
  /** Writes all buffered lines. */
  flush(): void
}

const maxBatchLength = 32_768
/** In bytes: a longer write to a pipe may be interrupted by one of another process (`PIPE_BUF` on Linux). */
export const maxAtomicLength = 4096
const maxDelayMs = 250

/**
 * Buffers lines and writes them in batches of up to `maxLength` characters, or of one longer line. A write for each line,
 * or even a check of the buffered bytes, would cost a request more than all other work on its line.
 */
export const batchLines = (writeBatch: (lines: string) => void, maxLength = maxBatchLength): LineBatches => {
  let lines = ''
  let timer: ReturnType<typeof setTimeout> | null = null

  const flush = () => {
    if (timer) clearTimeout(timer)
    timer = null
    const batch = lines
    lines = ''
    if (batch !== '') writeBatch(batch)
  }

  return {
    write(line) {
      if (lines.length + line.length > maxLength) flush()
      lines += line
      if (lines.length >= maxLength) flush()
      else timer ??= setTimeout(flush, maxDelayMs).unref()
    },
    flush,
  }
}
