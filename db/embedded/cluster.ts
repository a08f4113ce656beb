import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { environment, program } from './binaries.ts'
import { exists, type InstallLocation } from './location.ts'

const run = promisify(execFile)

/** Makes the data folder on the first start. Resolves to the password of its owner, kept in `passwordFile`. */
export const prepareCluster = async (place: InstallLocation, passwordFile: string, durable: boolean) => {
  const kept = (await exists(passwordFile)) ? (await readFile(passwordFile, 'utf8')).trim() : ''
  const password = kept || (await startAnew(place, passwordFile))
  if (!(await exists(place.cluster))) await initialise(place, password, durable)
  return password
}

const startAnew = async ({ cluster, displaced }: InstallLocation, passwordFile: string) => {
  // Data left in the folder for temporary files belongs to a folder that was removed since. Data that lies beside the
  // lost password is somebody's work, and never ours to throw away.
  if (displaced && !(await exists(passwordFile))) await rm(cluster, { recursive: true, force: true })
  else if (await exists(cluster)) {
    throw new Error(
      `${passwordFile} is missing or empty: put it back, or remove ${cluster} to start with an empty database`,
    )
  }
  const password = randomBytes(24).toString('base64url')
  await writeFile(`${passwordFile}.new`, password, { mode: 0o600 })
  await rename(`${passwordFile}.new`, passwordFile)
  return password
}

// The folder gets its name when it is complete, so that a start that was cut short leaves nothing half-made behind.
const initialise = async ({ native, cluster, user }: InstallLocation, password: string, durable: boolean) => {
  const unfinished = `${cluster}.new`
  const readable = join(dirname(cluster), 'initdb-password')
  await rm(unfinished, { recursive: true, force: true })
  await rm(readable, { force: true })
  await writeFile(readable, password, { mode: 0o600, flag: 'wx' })
  try {
    await mkdir(unfinished, { mode: 0o700 })
    if (user) await Promise.all([unfinished, readable].map((path) => chown(path, user.uid, user.gid)))
    const options = ['--username=postgres', `--pwfile=${readable}`, '--auth=scram-sha-256', '--encoding=UTF8']
    const speed = durable ? [] : ['--no-sync']
    await run(program(native, 'initdb'), [`--pgdata=${unfinished}`, '--locale=C', ...options, ...speed], {
      ...user,
      cwd: dirname(cluster),
      env: environment(),
    })
    await rename(unfinished, cluster)
  } finally {
    await rm(readable, { force: true })
  }
}
