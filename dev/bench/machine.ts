import { execFileSync, spawnSync } from 'node:child_process'
import { availableParallelism, cpus, release, totalmem } from 'node:os'

/** The last CPU. Only the measured process runs on it. */
export const measuredCpu = availableParallelism() - 1

const isInstalled = (command: string, versionFlag: string) =>
  spawnSync(command, [versionFlag]).error === undefined

export const hasNginx = isInstalled('nginx', '-v')

const moveToCpus = (list: string) =>
  execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', list, String(process.pid)])

export const moveToOtherCpus = () => {
  if (process.platform !== 'linux' || !isInstalled('taskset', '-V') || measuredCpu < 1) {
    throw new Error('cannot reserve a CPU: the benchmark needs Linux, taskset and at least two CPUs')
  }
  moveToCpus(measuredCpu === 1 ? '0' : `0-${measuredCpu - 1}`)
}

export const describeMachine = () => {
  const gigabytes = Math.round(totalmem() / 1e9)
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor'
  const nginx = hasNginx ? spawnSync('nginx', ['-v']).stderr.toString().trim().split('/').at(-1) : null
  return [
    `${cpus().length} cores of ${processor}, ${gigabytes} GB, Linux ${release()}`,
    `Node ${process.versions.node}`,
    nginx === null ? 'nginx not installed' : `nginx ${nginx}`,
  ].join('; ')
}
