import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where Debian installs PostgreSQL 15: the package `postgresql-15` puts its programs into this folder's `bin`. */
export const postgres15Folder = '/usr/lib/postgresql/15'

const isInPath = (program: string) =>
  // Debian installs daemons into /usr/sbin, which is not in every user's PATH.
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].some((folder) =>
    existsSync(join(folder, program)),
  )

/** Programs that tests need, by the Debian package that contains them. */
const isInstalled = {
  faketime: () => isInPath('faketime'),
  pgbouncer: () => isInPath('pgbouncer'),
  // Contains promtool.
  prometheus: () => isInPath('promtool'),
  'postgresql-15': () => existsSync(join(postgres15Folder, 'bin/postgres')),
}

/** Whether a package is installed. In CI, all are required; elsewhere, a line says which tests are skipped. */
export const isInstalledOrSkipped = (name: keyof typeof isInstalled, skipped: string) => {
  if (isInstalled[name]()) return true
  if (process.env.CI) throw new Error(`the tests require ${name}: install the package ${name}`)
  process.stderr.write(`${name} is not installed: ${skipped} are skipped\n`)
  return false
}
