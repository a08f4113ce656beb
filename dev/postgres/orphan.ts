import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readCommandLine, readStartTime } from './processes.ts'

const pollMs = 20
const stopTimeoutMs = 10_000
// Higher than any process id.
const unusedPid = 2_147_483_647

export const stopOrphanedServer = async (cluster: string) => {
  const file = join(cluster, 'postmaster.pid')
  const content = await readFile(file, 'utf8').catch(() => '')
  const pid = Number.parseInt(content, 10)
  const startTime = pid > 0 ? await readStartTime(pid) : null
  if (startTime === null) return
  if (await isServerOf(cluster, pid)) return stopServer(pid, startTime)
  // A different process now has the id in the file, which would keep PostgreSQL from starting, so the id is replaced.
  // The rest of the file stays, because PostgreSQL uses it to find old processes that still use its shared memory.
  await writeFile(file, content.replace(/^\d+/, String(unusedPid)))
}

const isServerOf = async (cluster: string, pid: number) => {
  const command = await readCommandLine(pid)
  return command === null || command.includes(cluster)
}

const stopServer = async (pid: number, startTime: string) => {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    try {
      process.kill(pid, signal)
    } catch {
      return
    }
    if (await hasExited(pid, startTime)) return
  }
  throw new Error(`a previous run's PostgreSQL server did not stop: kill process ${pid}`)
}

const hasExited = async (pid: number, startTime: string) => {
  const end = performance.now() + stopTimeoutMs
  while ((await readStartTime(pid)) === startTime) {
    if (performance.now() > end) return false
    await sleep(pollMs)
  }
  return true
}
