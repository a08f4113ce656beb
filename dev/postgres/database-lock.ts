import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { readStartTime } from './processes.ts'

interface Holder {
  readonly pid: number
  readonly startTime: string | null
}

/**
 * Locks an embedded database for this process, and returns a function that releases the lock. Throws if another living
 * process holds the lock. Replaces a stale lock.
 */
export const acquireDatabaseLock = async (path: string): Promise<() => Promise<void>> => {
  const ownFile = `${path}.${randomUUID()}`
  await writeFile(ownFile, JSON.stringify({ pid: process.pid, startTime: await readStartTime(process.pid) }))
  try {
    while (!(await tryLink(ownFile, path))) await removeStaleLock(path)
  } finally {
    await rm(ownFile, { force: true })
  }
  return () => rm(path, { force: true })
}

// Creating a link is atomic and fails if the path exists, so only one process succeeds.
const tryLink = (from: string, to: string) =>
  link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )

const removeStaleLock = async (path: string) => {
  await throwIfHeld(path)
  // Another process may have replaced the stale lock in the meantime, so the moved file is checked again.
  const moved = `${path}.${randomUUID()}`
  await rename(path, moved).catch(ignoreMissing)
  try {
    await throwIfHeld(moved)
  } catch (error) {
    await tryLink(moved, path)
    throw error
  } finally {
    await rm(moved, { force: true })
  }
}

const throwIfHeld = async (path: string) => {
  const holder = await readHolder(path)
  if (holder?.startTime && holder.startTime === (await readStartTime(holder.pid))) {
    throw new Error(`the embedded database is in use by process ${holder.pid}: stop that process first`)
  }
}

const readHolder = async (path: string): Promise<Holder | null> => {
  try {
    const { pid, startTime, mark } = JSON.parse(await readFile(path, 'utf8'))
    // Earlier versions wrote the start time as `mark`.
    return { pid, startTime: startTime ?? mark ?? null }
  } catch {
    return null
  }
}

const ignoreMissing = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ENOENT') throw error
}
