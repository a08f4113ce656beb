import { createHash } from 'node:crypto'
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { getuid } from 'node:process'

/** The account PostgreSQL runs under. */
export interface User {
  readonly uid: number
  readonly gid: number
}

/** Where the binaries and the data of an embedded server are, and under whose account it runs. */
export interface InstallLocation {
  readonly native: string
  readonly cluster: string
  /** `cluster` lies in the system's folder for temporary files, away from the folder that was asked for. */
  readonly displaced: boolean
  /** Set when this process is root, under which PostgreSQL refuses to run. */
  readonly user?: User
}

/** Finds binaries and data a place the server can reach: an unprivileged account cannot look into `/root`. */
export const findLocation = async (native: string, folder: string): Promise<InstallLocation> => {
  if (getuid?.() !== 0) return { native, cluster: join(folder, 'cluster'), displaced: false }
  const user = await nobody()
  const displaced = !(await openToAll(folder))
  return {
    user,
    displaced,
    native: (await openToAll(join(native, 'bin', 'postgres'))) ? native : await copyOf(native),
    cluster: displaced ? join(await refuge(folder), 'cluster') : join(folder, 'cluster'),
  }
}

/** Every path at which data of this folder may lie. */
export const listLocations = async (folder: string) =>
  getuid?.() === 0 ? [folder, await refugePath(folder)] : [folder]

const nobody = async (): Promise<User> => {
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'))
  const [, , uid, gid] = line?.split(':') ?? []
  if (!uid || !gid) throw new Error('PostgreSQL does not run as root and this system has no account `nobody`')
  return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }
}

const othersMayExecute = 0o001

const openToAll = async (path: string): Promise<boolean> => {
  const { mode } = await stat(path)
  if ((mode & othersMayExecute) === 0) return false
  const parent = dirname(path)
  return parent === path || openToAll(parent)
}

const refugePath = async (key: string) => {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 16)
  return join(await temporaryFolder(), `crossfade-${hash}`)
}

// Anybody may write where temporary files lie: a folder that is not root's own was planted by somebody else.
const refuge = async (key: string) => {
  const path = await refugePath(key)
  await mkdir(path, { mode: 0o711 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const found = await lstat(path)
  if (!found.isDirectory() || found.uid !== 0) throw new Error(`${path} does not belong to root: remove it`)
  await chmod(path, 0o711)
  return path
}

// Unlike `/tmp`, `/var/tmp` outlives a restart of the machine.
const temporaryFolder = async () => {
  for (const candidate of ['/var/tmp', tmpdir(), '/tmp']) {
    if (await openToAll(candidate).catch(() => false)) return candidate
  }
  throw new Error('no folder for temporary files is open to the account `nobody`')
}

const copyOf = async (native: string) => {
  const { version } = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8'))
  const copy = join(await refuge(`${native} ${version}`), 'native')
  if (await exists(copy)) return copy
  const unfinished = `${copy}.${process.pid}`
  await rm(unfinished, { recursive: true, force: true })
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true })
  await openTree(unfinished)
  await rename(unfinished, copy)
  return copy
}

const openTree = async (root: string) => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => !entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
  await Promise.all([root, ...paths].map((path) => chmod(path, 0o755)))
}

/** Whether something lies at this path. */
export const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  )
