import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { localCopyPrefix } from './local-copy.ts'

/** Whether a process with this id is running. */
export const isProcessAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process is alive but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Removes the local copies of workers that exited without cleaning up. */
export const removeAbandonedLocalCopies = async () => {
  const [parent, prefix] = [dirname(localCopyPrefix), basename(localCopyPrefix)]
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN
    if (pid > 0 && !isProcessAlive(pid)) await rm(join(parent, name), { recursive: true, force: true })
  }
}
