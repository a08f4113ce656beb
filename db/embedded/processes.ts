import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { platform } from 'node:process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const nothing = () => null

/** Whether a process answers to this id. It may be another one than was meant: ids are used again. */
export const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * A word that stays the same for the life of a process and differs for the next one with the same id; `null` when
 * nothing runs under this id. Where the system does not tell the start time it is `unknown`.
 */
export const readStartTime = async (pid: number): Promise<string | null> => {
  if (!isRunning(pid)) return null
  if (platform === 'win32') return 'unknown'
  if (platform !== 'linux') return ps('lstart=', pid)
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(nothing)
  // proc(5): the name in parentheses may hold spaces; state is the first field behind it, start time the twentieth.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields && fields[0] !== 'Z' ? (fields[19] ?? null) : null
}

/** The command line of a process, `null` when there is none to be seen. */
export const commandLine = async (pid: number): Promise<string | null> => {
  if (platform === 'win32') return null
  if (platform !== 'linux') return ps('command=', pid)
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(nothing)
  return line?.replaceAll('\0', ' ') ?? null
}

const ps = (field: string, pid: number) =>
  run('ps', ['-o', field, '-p', String(pid)]).then(({ stdout }) => stdout.trim() || null, nothing)
