import type { Failure } from '#db/queries/jobs/failure.ts'

export interface ProcessLimits {
  readonly memoryBytes: number
  readonly cpuMs: number
  /** Wall-clock limit, for waits that use no CPU and platforms that do not report CPU time. */
  readonly timeMs: number
  readonly sampleIntervalMs: number
}

const bytesPerMiB = 1024 * 1024
const maxTimeMs = 20 * 60_000

// Measured: ten minutes of music take 1 to 4 s of one core in any format, process start included. Per MiB that is 0.01
// to 0.2 s for WAV, FLAC, ALAC, AAC and MP3, and up to 3.4 s for the densest, Opus speech at 6 kbit/s.
const baseCpuMs = 30_000
const cpuMsPerMiB = 4000

export const calculateProcessLimits = (fileSize: number): ProcessLimits => {
  const cpuMs = baseCpuMs + cpuMsPerMiB * (fileSize / bytesPerMiB)
  return {
    memoryBytes: 512 * bytesPerMiB,
    cpuMs,
    timeMs: Math.min(maxTimeMs, 8 * cpuMs),
    sampleIntervalMs: 50,
  }
}

/** The analysis of a file exceeds its limits. Not retried, because a retry would exceed them too. */
export class LimitExceededError extends Error {
  override name = 'LimitExceededError'
}

export const crashFailure: Failure = {
  code: 'analysis_crashed',
  message: 'The file cannot be analysed: the analyser crashes every time it reads the file.',
}

export const limitFailure: Failure = {
  code: 'processing_limit_exceeded',
  message: 'The file needs more memory or time to process than is allowed.',
}
