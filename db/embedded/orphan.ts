import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandLine, readStartTime } from './processes.ts'

const pollMs = 20
const patienceMs = 10_000
// Above every process id a system gives out.
const nobodysPid = 2_147_483_647

/** Stops the server that a dead starter left behind on this data folder, if there is one. */
export const stopOrphan = async (cluster: string) => {
  const file = join(cluster, 'postmaster.pid')
  const content = await readFile(file, 'utf8').catch(() => '')
  const pid = Number.parseInt(content, 10)
  const mark = pid > 0 ? await readStartTime(pid) : null
  if (mark === null) return
  if (await isServerOf(cluster, pid)) return stopServer(pid, mark)
  // The id was given to another process since, for which PostgreSQL would refuse to start. The rest of the file
  // stays: by it PostgreSQL notices processes of the old server that still hold its shared memory.
  await writeFile(file, content.replace(/^\d+/, String(nobodysPid)))
}

const isServerOf = async (cluster: string, pid: number) => {
  const command = await commandLine(pid)
  return command === null || command.includes(cluster)
}

const stopServer = async (pid: number, mark: string) => {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    try {
      process.kill(pid, signal)
    } catch {
      return
    }
    if (await hasEnded(pid, mark)) return
  }
  throw new Error(`The PostgreSQL server of an earlier start (process ${pid}) does not stop`)
}

const hasEnded = async (pid: number, mark: string) => {
  const end = performance.now() + patienceMs
  while ((await readStartTime(pid)) === mark) {
    if (performance.now() > end) return false
    await sleep(pollMs)
  }
  return true
}
