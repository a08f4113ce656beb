/** What the look at one file may use. */
export interface AnalysisLimits {
  readonly memoryBytes: number
  readonly cpuMs: number
  /** A wider bound, for what uses no processor and for platforms that do not tell what a process uses. */
  readonly timeMs: number
  readonly sampleIntervalMs: number
}

const bytesPerMiB = 1024 * 1024
const maxTimeMs = 20 * 60_000

// Ten minutes of music take 1 to 4 s of one core, start included, in any format: of a MiB of WAV, FLAC, ALAC, AAC or MP3
// that is 0.01 to 0.2 s, of Opus at 96 kbit/s 0.4 s, of speech in Opus at 6 kbit/s, the densest there is, 3.4 s.
const baseCpuMs = 30_000
const cpuMsPerMiB = 4000

/** The limits for a file of this size. */
export const limitsForFile = (fileSize: number): AnalysisLimits => {
  const cpuMs = baseCpuMs + cpuMsPerMiB * (fileSize / bytesPerMiB)
  return {
    memoryBytes: 512 * bytesPerMiB,
    cpuMs,
    timeMs: Math.min(maxTimeMs, 8 * cpuMs),
    sampleIntervalMs: 50,
  }
}
