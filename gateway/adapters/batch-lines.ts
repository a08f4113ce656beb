// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
export interface LineBatches {
  write(line: string): void
  /** Passes on what is still held back. */
  flush(): void
}

const longestBatch = 32_768
const longestWaitMs = 250

/**
 * Joins lines before they are passed on, for a write of each, or only a look at how many bytes are waiting by now,
 * costs a request more than everything else that is done for its line.
 */
export const batchLines = (passOn: (lines: string) => void): LineBatches => {
  let lines = ''
  let timer: ReturnType<typeof setTimeout> | null = null

  const flush = () => {
    if (timer) clearTimeout(timer)
    timer = null
    const batch = lines
    lines = ''
    if (batch !== '') passOn(batch)
  }

  return {
    write(line) {
      lines += line
      if (lines.length >= longestBatch) flush()
      else timer ??= setTimeout(flush, longestWaitMs).unref()
    },
    flush,
  }
}
