import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { findServerUser } from '#dev/postgres/location.ts'
import { isInstalledOrSkipped } from '#test/support/installed-programs.ts'
import { findFreePort } from '#test/support/pgbouncer.ts'

const ops = join(import.meta.dirname, '../../ops')
const hasPgBouncer = isInstalledOrSkipped('pgbouncer', 'the tests of its configuration')

const readStart = async (file: string) => {
  const child = spawn('pgbouncer', [file], {
    ...(await findServerUser()),
    cwd: '/',
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill())
  const lines: string[] = []
  for await (const line of createInterface(child.stderr)) {
    lines.push(line)
    if (line.includes('process up')) break
  }
  return lines.join('\n')
}

const installations = ['compose/database.ini', 'kubernetes/overlays/production/database.ini']

it.runIf(hasPgBouncer).each(installations)(
  'PgBouncer applies the limits in pgbouncer.ini if that file includes %s',
  async (database) => {
    const folder = await mkdtemp(join(tmpdir(), 'crossfade-pgbouncer-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await chmod(folder, 0o755)
    const port = await findFreePort()
    const configuration = (await readFile(join(ops, 'pgbouncer/pgbouncer.ini'), 'utf8'))
      .replaceAll('/etc/pgbouncer', folder)
      .replace('listen_addr = *', 'listen_addr = 127.0.0.1')
      .replace('listen_port = 6432', `listen_port = ${port}`)
      // Debian's PgBouncer is older than this setting.
      .replace(/^max_prepared_statements.*$/m, '')
    await writeFile(join(folder, 'pgbouncer.ini'), configuration)
    await writeFile(join(folder, 'database.ini'), await readFile(join(ops, database)))
    await writeFile(join(folder, 'userlist.txt'), '"crossfade" "password"\n')
    const log = await readStart(join(folder, 'pgbouncer.ini'))
    expect(log).toContain('max_client_conn: 1000')
    expect(log).toContain(`listening on 127.0.0.1:${port}`)
    expect(log).toContain('process up')
  },
)
