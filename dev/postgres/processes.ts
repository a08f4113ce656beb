import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { platform } from 'node:process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const toNull = () => null

/** Whether a process with this id is running. Ids are reused, so it may not be the process that had the id before. */
export const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Returns a start time that distinguishes a process from a later one with the same id. It is `null` if no such process
 * is running, and `unknown` on systems that do not report it.
 */
export const readStartTime = async (pid: number): Promise<string | null> => {
  if (!isRunning(pid)) return null
  if (platform === 'win32') return 'unknown'
  if (platform !== 'linux') return runPs('lstart=', pid)
  const fields = await readStat(pid)
  return fields && fields[0] !== 'Z' ? (fields[19] ?? null) : null
}

export const readParent = async (pid: number): Promise<number | null> => {
  if (platform === 'win32') return null
  const parent = platform === 'linux' ? (await readStat(pid))?.[1] : await runPs('ppid=', pid)
  return parent ? Number(parent) : null
}

export const readCommandLine = async (pid: number): Promise<string | null> => {
  if (platform === 'win32') return null
  if (platform !== 'linux') return runPs('command=', pid)
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(toNull)
  return line?.replaceAll('\0', ' ') ?? null
}

// proc(5): the name in parentheses may contain spaces. The fields after it begin with the state and the parent. The
// start time is the twentieth of them.
const readStat = async (pid: number) => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(toNull)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
}

const runPs = (field: string, pid: number) =>
  run('ps', ['-o', field, '-p', String(pid)]).then(({ stdout }) => stdout.trim() || null, toNull)
