import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { postgresEnvironment, programPath } from './binaries.ts'
import { type InstallLocation, pathExists } from './location.ts'

const run = promisify(execFile)

/** Creates the data folder on the first start. Returns the superuser's password, which is stored in `passwordFile`. */
export const prepareCluster = async (location: InstallLocation, passwordFile: string, durable: boolean) => {
  const stored = (await pathExists(passwordFile)) ? (await readFile(passwordFile, 'utf8')).trim() : ''
  const password = stored || (await createPassword(location, passwordFile))
  if (!(await pathExists(location.cluster))) await initializeCluster(location, password, durable)
  return password
}

const createPassword = async ({ cluster, isDisplaced }: InstallLocation, passwordFile: string) => {
  // If the password file is missing, data in the temporary folder is left over from a deleted database and can be
  // removed. Data anywhere else belongs to the user, who has only lost the password, so it must stay.
  if (isDisplaced && !(await pathExists(passwordFile))) await rm(cluster, { recursive: true, force: true })
  else if (await pathExists(cluster)) {
    throw new Error(
      `${passwordFile} is missing or empty: put it back, or remove ${cluster} to start with an empty database`,
    )
  }
  const password = randomBytes(24).toString('base64url')
  await writeFile(`${passwordFile}.new`, password, { mode: 0o600 })
  await rename(`${passwordFile}.new`, passwordFile)
  return password
}

// The folder is renamed once it is complete, so that an interrupted start leaves no partial cluster.
const initializeCluster = async (
  { native, cluster, user }: InstallLocation,
  password: string,
  durable: boolean,
) => {
  const unfinished = `${cluster}.new`
  const initialPasswordFile = join(dirname(cluster), 'initdb-password')
  await rm(unfinished, { recursive: true, force: true })
  await rm(initialPasswordFile, { force: true })
  await writeFile(initialPasswordFile, password, { mode: 0o600, flag: 'wx' })
  try {
    await mkdir(unfinished, { mode: 0o700 })
    if (user)
      await Promise.all([unfinished, initialPasswordFile].map((path) => chown(path, user.uid, user.gid)))
    const options = [
      '--username=postgres',
      `--pwfile=${initialPasswordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
    ]
    const syncOptions = durable ? [] : ['--no-sync']
    await run(
      programPath(native, 'initdb'),
      [`--pgdata=${unfinished}`, '--locale=C', ...options, ...syncOptions],
      {
        ...user,
        cwd: dirname(cluster),
        env: postgresEnvironment(),
      },
    )
    await rename(unfinished, cluster)
  } finally {
    await rm(initialPasswordFile, { force: true })
  }
}
