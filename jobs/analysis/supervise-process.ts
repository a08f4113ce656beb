import { type Child, type ChildExit, startTimeout } from '#shared/processes/child-process.ts'
import { watchUsage } from '#shared/processes/process-usage.ts'
import { RetryLaterError } from '../retry-later-error.ts'
import type { ProcessLimits } from './analysis-limits.ts'
import { createMemoryCgroup, type MemoryCgroup } from './memory-cgroup.ts'

export type ExceededLimit = 'memory' | 'cpu' | 'time'

type ExitSignal = ChildExit['signal']

// A process causes these signals itself, by crashing or by exceeding its file size limit. Other signals come from
// outside.
const crashSignals = new Set<ExitSignal>([
  'SIGSEGV',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGTRAP',
  'SIGXFSZ',
])

export const isCrash = (signal: ExitSignal) => crashSignals.has(signal)

const addToCgroup = (cgroup: MemoryCgroup | null, pid: number | null) => {
  try {
    if (pid !== null) cgroup?.add(pid)
  } catch {
    // The process has exited or may not be moved. Its memory is sampled either way.
  }
}

/** Enforces a process's limits by sampling its usage, and with a memory cgroup if this process may create one. */
export const superviseProcess = (child: Child, limits: ProcessLimits, signal: AbortSignal) => {
  const cgroup = createMemoryCgroup(limits.memoryBytes)
  addToCgroup(cgroup, child.pid)
  let limit: ExceededLimit | null = null
  const exceed = (exceeded: ExceededLimit) => {
    limit ??= exceeded
    child.kill()
  }
  let usage = { peakMemoryBytes: 0, cpuMs: 0 }
  const stopWatching = watchUsage(child.pid, limits.sampleIntervalMs, ({ peakMemoryBytes, cpuMs }) => {
    usage = { peakMemoryBytes: Math.max(usage.peakMemoryBytes, peakMemoryBytes), cpuMs }
    if (usage.peakMemoryBytes > limits.memoryBytes) exceed('memory')
    if (cpuMs > limits.cpuMs) exceed('cpu')
  })
  const cancelTimeout = startTimeout(limits.timeMs, () => exceed('time'))
  signal.addEventListener('abort', child.kill)
  if (signal.aborted) child.kill()
  return {
    async waitForExit() {
      const { error: cause, ...exit } = await child.exited
      if (cause)
        throw new RetryLaterError('analyser_unavailable', 'a process could not be started', { cause })
      return { ...exit, limit: limit ?? (exit.signal === 'SIGKILL' && cgroup?.hasKilled() ? 'memory' : null) }
    },
    usage: () => usage,
    async close() {
      child.kill()
      await child.exited
      stopWatching()
      cancelTimeout()
      signal.removeEventListener('abort', child.kill)
      await cgroup?.remove()
    },
  }
}
