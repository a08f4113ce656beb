import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { copiesFolderPrefix } from './local-copy.ts'

/** Whether a process of this number runs. */
export const isProcessAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another account's process cannot be signalled, and is alive.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Removes the copies of workers that ended without doing so themselves. */
export const removeAbandonedCopies = async () => {
  const [parent, prefix] = [dirname(copiesFolderPrefix), basename(copiesFolderPrefix)]
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN
    if (pid > 0 && !isProcessAlive(pid)) await rm(join(parent, name), { recursive: true, force: true })
  }
}
