import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findServerUser } from '#dev/postgres/location.ts'
import { stopOnParentExit } from '#dev/postgres/server.ts'

export interface PgBouncer {
  /** The URL of the server's database `postgres` through the pooler, which serves every database under its own name. */
  readonly url: string
  stop(): Promise<void>
}

/** Returns a port that is free now, although another process may take it. */
export const findFreePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

type Options = Readonly<Record<string, string | number>>

// Differs from Debian's file: transaction mode, no files outside `folder`, and enough clients for all tests at once.
const formatConfiguration = (server: URL, folder: string, port: number, options: Options) => {
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'md5',
    auth_file: join(folder, 'userlist.txt'),
    pool_mode: 'transaction',
    max_client_conn: 1000,
    ...options,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  return `[databases]\n* = host=${server.hostname} port=${server.port}\n[pgbouncer]\n${lines.join('\n')}\n`
}

// PgBouncer logs "process up" once it listens, and exits if it cannot.
const waitUntilUp = (child: ChildProcess) => {
  const outcome = Promise.withResolvers<boolean>()
  if (child.stderr)
    createInterface(child.stderr).on('line', (line) => {
      if (line.includes('process up')) outcome.resolve(true)
    })
  child.once('error', () => outcome.resolve(false))
  child.once('exit', () => outcome.resolve(false))
  return outcome.promise
}

const start = async (server: URL, folder: string, options: Options) => {
  // Like PostgreSQL, PgBouncer does not run as root.
  const user = await findServerUser()
  const [configuration, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'userlist.txt')]
  const port = await findFreePort()
  await writeFile(configuration, formatConfiguration(server, folder, port, options))
  await writeFile(users, `"${server.username}" "${server.password}"\n`, { mode: 0o600 })
  if (user) await chown(users, user.uid, user.gid)
  const child = spawn('pgbouncer', [configuration], {
    ...user,
    cwd: '/',
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (!(await waitUntilUp(child))) return null
  stopOnParentExit(child, user)
  return { child, port }
}

/** Starts PgBouncer in front of a server, in transaction mode and otherwise with the defaults of its Debian package. */
export const startPgBouncer = async (serverUrl: string, options: Options = {}): Promise<PgBouncer> => {
  const server = new URL(serverUrl)
  const folder = await mkdtemp(join(tmpdir(), 'crossfade-pgbouncer-'))
  await chmod(folder, 0o755)
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  for (let attempt = 0; attempt < 5; attempt++) {
    // Another process may have taken the port.
    const started = await start(server, folder, options)
    if (!started) continue
    const { child, port } = started
    server.port = String(port)
    return {
      url: server.href,
      async stop() {
        const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null
        child.kill('SIGKILL')
        await exited
        await removeFolder()
      },
    }
  }
  await removeFolder()
  throw new Error('failed to start pgbouncer')
}
