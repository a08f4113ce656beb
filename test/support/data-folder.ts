import { access, readdir, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { acquireDatabaseLock } from '#dev/postgres/database-lock.ts'
import { removeEmbeddedPostgres } from '#dev/postgres/start.ts'

/** Every test server's folder name begins with this. */
export const dataPrefix = 'crossfade-postgres-'

const memoryFolder = '/dev/shm'
const requiredBytes = 4 * 1024 ** 3

/**
 * Chooses the folder for a test server's data: in memory if enough is free. Every test file copies a database of 11 MB,
 * which takes up to half a second on a busy disk and 20 ms in memory.
 */
export const chooseDataFolder = async () => {
  const { bavail, bsize } = await statfs(memoryFolder).catch(() => ({ bavail: 0, bsize: 0 }))
  if (Math.min(bavail * bsize, process.availableMemory()) < requiredBytes) return tmpdir()
  await removeLeftData()
  return memoryFolder
}

// A run that is killed leaves its data behind, which takes up memory until the machine restarts.
const removeLeftData = async () => {
  const names = await readdir(memoryFolder)
  await Promise.all(
    names
      .filter((name) => name.startsWith(dataPrefix))
      .map((name) => removeUnlessInUse(join(memoryFolder, name)).catch(() => undefined)),
  )
}

const removeUnlessInUse = async (folder: string) => {
  const lock = join(folder, 'starter.lock')
  // Throws if there is no lock, because then another run has just created the folder.
  await access(lock)
  // Throws if the run that uses this folder is alive.
  await acquireDatabaseLock(lock)
  await removeEmbeddedPostgres(folder)
}
