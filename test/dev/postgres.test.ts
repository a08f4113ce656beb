import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { isRunning, readStartTime } from '#dev/postgres/processes.ts'
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '#dev/postgres/start.ts'

interface StartedPostgres {
  readonly url: string
  readonly pid: number
}

const query = async (url: string, text: string) => {
  const sql = postgres(url, { max: 1, connect_timeout: 2 })
  try {
    return await sql.unsafe(text)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const waitUntil = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) await sleep(20)
}

const createFolder = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'crossfade-embedded-'))
  await chmod(dataDir, 0o755)
  const children: { child: ChildProcess; pid: number }[] = []
  return {
    dataDir,
    start: () => startEmbeddedPostgres({ dataDir, durable: false }),
    async startInOtherProcess() {
      const child = fork(new URL('./postgres-starter.ts', import.meta.url), [dataDir], { execArgv: [] })
      const [started]: StartedPostgres[] = await once(child, 'message')
      children.push({ child, pid: started!.pid })
      return { child, ...started! }
    },
    async close() {
      for (const { child, pid } of children) {
        child.kill('SIGKILL')
        await waitUntil(async () => (await readStartTime(pid)) === null)
      }
      await removeEmbeddedPostgres(dataDir)
    },
  }
}
type Folder = Awaited<ReturnType<typeof createFolder>>

const inFolder = (work: (folder: Folder) => Promise<void>) => async () => {
  const folder = await createFolder()
  try {
    await work(folder)
  } finally {
    await folder.close()
  }
}

// The tests mostly wait for PostgreSQL to start and stop, so they run concurrently, each in its own folder.
describe.concurrent('an embedded database', { timeout: 60_000 }, () => {
  it(
    'keeps its data and its password across a restart',
    inFolder(async ({ dataDir }) => {
      const first = await startEmbeddedPostgres({ dataDir })
      await query(first.url, 'create table kept (n int)')
      await first.stop()
      expect(await readStartTime(first.pid)).toBeNull()

      const second = await startEmbeddedPostgres({ dataDir })
      expect(await query(second.url, 'select * from kept')).toEqual([])
      expect(new URL(second.url).password).toBe(new URL(first.url).password)
      await second.stop()
    }),
  )

  it(
    'rejects a wrong password, and stores the right one in a file that only the owner can read',
    inFolder(async ({ dataDir, start }) => {
      const server = await start()
      const wrong = new URL(server.url)
      wrong.password = 'wrong'
      await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed')
      expect((await stat(join(dataDir, 'password'))).mode & 0o777).toBe(0o600)
      expect(await query(server.url, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }])
      await server.stop()
    }),
  )

  it(
    'cannot be started again while the process that started it is alive',
    inFolder(async ({ start, startInOtherProcess }) => {
      const { url, child } = await startInOtherProcess()
      await expect(start()).rejects.toThrow(
        `the embedded database is in use by process ${child.pid}: stop that process first`,
      )
      expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
    }),
  )

  it(
    'is started by only one of several concurrent attempts',
    inFolder(async ({ start }) => {
      const starts = await Promise.allSettled([0, 1, 2, 3].map(() => start()))
      const started = starts.filter((start) => start.status === 'fulfilled')
      expect(started).toHaveLength(1)
      await started[0]!.value.stop()
    }),
  )

  it(
    'stops when the process that started it is killed',
    inFolder(async ({ startInOtherProcess }) => {
      const { child, pid } = await startInOtherProcess()
      child.kill('SIGKILL')
      await waitUntil(async () => (await readStartTime(pid)) === null)
    }),
  )

  it(
    'keeps the data and replaces the running server that a killed process left behind',
    inFolder(async ({ start, startInOtherProcess }) => {
      const { child, url, pid } = await startInOtherProcess()
      await query(url, 'create table kept (n int)')
      // While suspended, the server handles no signals: neither from the shell that watches its starter nor from the
      // next start.
      process.kill(pid, 'SIGSTOP')
      child.kill('SIGKILL')
      await once(child, 'exit')
      expect(isRunning(pid)).toBe(true)

      const starting = start()
      await sleep(200)
      process.kill(pid, 'SIGCONT')
      const server = await starting
      expect(server.pid).not.toBe(pid)
      expect(await readStartTime(pid)).toBeNull()
      expect(await query(server.url, 'select * from kept')).toEqual([])
      await server.stop()
    }),
  )

  it(
    'starts even if the process ids of the last run now belong to other processes',
    inFolder(async ({ dataDir, start, startInOtherProcess }) => {
      const { child, pid } = await startInOtherProcess()
      process.kill(pid, 'SIGKILL')
      child.kill('SIGKILL')
      await waitUntil(async () => (await readStartTime(pid)) === null)
      await writeFile(
        join(dataDir, 'starter.lock'),
        JSON.stringify({ pid: process.pid, startTime: 'of another process' }),
      )
      await replaceServerPid(dataDir, process.pid)

      const server = await start()
      expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
      await server.stop()
    }),
  )

  it(
    'creates a password if the password file is empty and there is no data',
    inFolder(async ({ dataDir, start }) => {
      await writeFile(join(dataDir, 'password'), '')
      const server = await start()
      expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
      await server.stop()
    }),
  )

  it(
    'fails to start, without touching existing data, if the password is missing',
    inFolder(async ({ dataDir, start }) => {
      const server = await startEmbeddedPostgres({ dataDir })
      await server.stop()
      const password = await readFile(join(dataDir, 'password'))
      await rm(join(dataDir, 'password'))
      await expect(start()).rejects.toThrow('password is missing')
      await writeFile(join(dataDir, 'password'), '')
      await expect(start()).rejects.toThrow('password is missing or empty')
      expect(await readdir(join(dataDir, 'cluster'))).toContain('PG_VERSION')
      await writeFile(join(dataDir, 'password'), password, { mode: 0o600 })
    }),
  )

  it(
    'leaves nothing behind if it was started for a test',
    inFolder(async ({ dataDir, start }) => {
      const server = await start()
      await server.stop()
      expect(await readdir(dataDir)).toEqual([])
      expect(await readStartTime(server.pid)).toBeNull()
    }),
  )

  it.runIf(process.getuid?.() === 0)(
    'stores its data elsewhere if its folder is not accessible to other accounts',
    inFolder(async ({ dataDir, start }) => {
      await chmod(dataDir, 0o700)
      const server = await start()
      expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
      expect(await readdir(dataDir)).not.toContain('cluster')
      await server.stop()
    }),
  )

  it.runIf(process.getuid?.() === 0)(
    'removes the data stored elsewhere',
    inFolder(async ({ dataDir }) => {
      await chmod(dataDir, 0o700)
      const server = await startEmbeddedPostgres({ dataDir })
      const [row] = await query(server.url, 'show data_directory')
      const cluster = row?.data_directory
      await server.stop()
      expect(await readdir(cluster)).toContain('PG_VERSION')
      await removeEmbeddedPostgres(dataDir)
      await expect(stat(dirname(cluster))).rejects.toThrow('ENOENT')
      await expect(stat(dataDir)).rejects.toThrow('ENOENT')
    }),
  )
})

const replaceServerPid = async (dataDir: string, pid: number) => {
  const file = join(dataDir, 'cluster', 'postmaster.pid')
  const content = await readFile(file, 'utf8')
  await writeFile(file, content.replace(/^\d+/, String(pid)))
}
