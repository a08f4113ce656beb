import { execFileSync, spawnSync } from 'node:child_process'
import { availableParallelism, cpus, release, totalmem } from 'node:os'

/** The last CPU. Only the measured process runs on it. */
export const measuredCpu = availableParallelism() - 1

const moveToCpus = (list: string) =>
  execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', list, String(process.pid)])

export const moveToOtherCpus = () => {
  if (process.platform !== 'linux' || spawnSync('taskset', ['-V']).error || measuredCpu < 1) {
    throw new Error('cannot reserve a CPU: the benchmark needs Linux, taskset and at least two CPUs')
  }
  moveToCpus(measuredCpu === 1 ? '0' : `0-${measuredCpu - 1}`)
}

export const describeMachine = () => {
  const gigabytes = Math.round(totalmem() / 1e9)
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor'
  return `${cpus().length} cores of ${processor}, ${gigabytes} GB, Linux ${release()}; Node ${process.versions.node}`
}
