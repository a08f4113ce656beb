import { execFileSync, spawnSync } from 'node:child_process'
import { availableParallelism, cpus, release, totalmem } from 'node:os'

/** The CPU core reserved for the measured process. */
export const measuredCore = availableParallelism() - 1

const isInstalled = (command: string, versionFlag: string) =>
  spawnSync(command, [versionFlag]).error === undefined

export const hasNginx = isInstalled('nginx', '-v')

/** Keeps the bench and its helper processes off the measured core. */
export const leaveMeasuredCore = () => {
  if (process.platform !== 'linux' || !isInstalled('taskset', '-V') || measuredCore < 1) {
    throw new Error('the bench needs Linux with /proc, taskset and two cores')
  }
  const others = measuredCore === 1 ? '0' : `0-${measuredCore - 1}`
  execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', others, String(process.pid)])
}

/** Describes the machine, for the report. */
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
