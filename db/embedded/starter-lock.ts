import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { readStartTime } from './processes.ts'

interface Holder {
  readonly pid: number
  readonly mark: string | null
}

/**
 * Claims an embedded database for this process; throws when the process that holds it is alive. A lock whose holder
 * died is taken over. Resolves to the release.
 */
export const acquireStarterLock = async (path: string): Promise<() => Promise<void>> => {
  const mine = `${path}.${randomUUID()}`
  await writeFile(mine, JSON.stringify({ pid: process.pid, mark: await readStartTime(process.pid) }))
  try {
    while (!(await linked(mine, path))) await removeUnlessHeld(path)
  } finally {
    await rm(mine, { force: true })
  }
  return () => rm(path, { force: true })
}

// A link appears whole or not at all and never replaces another: of two starters one gets it.
const linked = (from: string, to: string) =>
  link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )

const removeUnlessHeld = async (path: string) => {
  await refuseIfHeld(path)
  // Another starter may have taken the stale lock over in between: what was moved away is looked at again.
  const moved = `${path}.${randomUUID()}`
  await rename(path, moved).catch(unlessGone)
  try {
    await refuseIfHeld(moved)
  } catch (error) {
    await linked(moved, path)
    throw error
  } finally {
    await rm(moved, { force: true })
  }
}

const refuseIfHeld = async (path: string) => {
  const holder = await readHolder(path)
  if (holder?.mark && holder.mark === (await readStartTime(holder.pid))) {
    throw new Error(`The embedded database is in use by the process ${holder.pid}: stop that one first`)
  }
}

const readHolder = async (path: string): Promise<Holder | null> => {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return null
  }
}

const unlessGone = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ENOENT') throw error
}
