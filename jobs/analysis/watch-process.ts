import type { AnalysisLimits } from './analysis-limits.ts'
import { type ProcessUsage, readProcessUsage } from './process-usage.ts'

export type ExceededLimit = 'memory' | 'cpu' | 'time'

/** Samples the usage of a process and calls `onExceeded` each time that it exceeds a limit. */
export const watchProcess = (
  pid: number,
  limits: AnalysisLimits,
  onExceeded: (limit: ExceededLimit) => void,
) => {
  let usage: ProcessUsage = { peakMemoryBytes: 0, cpuMs: 0 }
  let isStopped = false
  const measure = async () => {
    const read = await readProcessUsage(pid)
    if (isStopped) return
    if (read) {
      const peakMemoryBytes = Math.max(usage.peakMemoryBytes, read.peakMemoryBytes)
      usage = { peakMemoryBytes, cpuMs: read.cpuMs }
      if (peakMemoryBytes > limits.memoryBytes) onExceeded('memory')
      if (read.cpuMs > limits.cpuMs) onExceeded('cpu')
    }
    sampler = setTimeout(measure, limits.sampleIntervalMs)
  }
  let sampler = setTimeout(measure, limits.sampleIntervalMs)
  const deadline = setTimeout(onExceeded, limits.timeMs, 'time')
  return {
    /** The usage at the last sample. */
    usage: () => usage,
    stop() {
      isStopped = true
      clearTimeout(sampler)
      clearTimeout(deadline)
    },
  }
}
