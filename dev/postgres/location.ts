import { createHash } from 'node:crypto'
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { getuid } from 'node:process'

export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

export interface InstallLocation {
  readonly native: string
  readonly cluster: string
  /** Whether `cluster` is in the system's temporary folder instead of the requested folder. */
  readonly isDisplaced: boolean
  /** Set if this process runs as root, because PostgreSQL refuses to run as root. */
  readonly user?: SystemUser
}

/** Returns paths for binaries and data that the server can access. An unprivileged account cannot access `/root`. */
export const findLocation = async (native: string, folder: string): Promise<InstallLocation> => {
  const user = await findServerUser()
  if (!user) return { native, cluster: join(folder, 'cluster'), isDisplaced: false }
  const displaced = !(await isWorldAccessible(folder))
  return {
    user,
    isDisplaced: displaced,
    native: (await isWorldAccessible(join(native, 'bin', 'postgres'))) ? native : await copyBinaries(native),
    cluster: displaced ? join(await ensureFallbackFolder(folder), 'cluster') : join(folder, 'cluster'),
  }
}

export const listLocations = async (folder: string) =>
  getuid?.() === 0 ? [folder, await fallbackPath(folder)] : [folder]

export const findServerUser = async () => (getuid?.() === 0 ? findNobodyUser() : undefined)

const findNobodyUser = async (): Promise<SystemUser> => {
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'))
  const [, , uid, gid] = line?.split(':') ?? []
  if (!uid || !gid)
    throw new Error(
      'PostgreSQL does not run as root, and this system has no user `nobody`: run as another user',
    )
  return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }
}

const worldExecutable = 0o001

const isWorldAccessible = async (path: string): Promise<boolean> => {
  const { mode } = await stat(path)
  if ((mode & worldExecutable) === 0) return false
  const parent = dirname(path)
  return parent === path || isWorldAccessible(parent)
}

const fallbackPath = async (key: string) => {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 16)
  return join(await findTemporaryFolder(), `crossfade-${hash}`)
}

// Anyone can write to the temporary folder, so an attacker may have created a folder that root does not own.
const ensureFallbackFolder = async (key: string) => {
  const path = await fallbackPath(key)
  await mkdir(path, { mode: 0o711 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const found = await lstat(path)
  if (!found.isDirectory() || found.uid !== 0) throw new Error(`${path} is not owned by root: remove it`)
  await chmod(path, 0o711)
  return path
}

// Unlike `/tmp`, `/var/tmp` survives reboots.
const findTemporaryFolder = async () => {
  for (const candidate of ['/var/tmp', tmpdir(), '/tmp']) {
    if (await isWorldAccessible(candidate).catch(() => false)) return candidate
  }
  throw new Error('no folder for temporary files is accessible to the user `nobody`')
}

const copyBinaries = async (native: string) => {
  const { version } = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8'))
  const copy = join(await ensureFallbackFolder(`${native} ${version}`), 'native')
  if (await pathExists(copy)) return copy
  const unfinished = `${copy}.${process.pid}`
  await rm(unfinished, { recursive: true, force: true })
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true })
  await makeWorldReadable(unfinished)
  await rename(unfinished, copy)
  return copy
}

const makeWorldReadable = async (root: string) => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => !entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
  await Promise.all([root, ...paths].map((path) => chmod(path, 0o755)))
}

export const pathExists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  )
