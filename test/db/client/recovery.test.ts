import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, isDatabaseUnavailable, openDatabase } from '#db/client/connection.ts'
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '#dev/postgres/start.ts'

type TestServer = Awaited<ReturnType<typeof startEmbeddedPostgres>>

const runQuery = async (database: Database) => {
  const started = performance.now()
  const outcome = await database.db.execute(sql`select ${1}::int as one`).then(
    () => 'succeeded' as const,
    (error: unknown) => (isDatabaseUnavailable(error) ? ('unavailable' as const) : Promise.reject(error)),
  )
  return { outcome, ms: performance.now() - started }
}

const queryConcurrently = (database: Database, count: number) =>
  Promise.all(Array.from({ length: count }, () => runQuery(database)))

const measureRecoveryS = async (database: Database) => {
  const started = performance.now()
  await expect
    .poll(async () => (await runQuery(database)).outcome, { timeout: 10_000, interval: 10 })
    .toBe('succeeded')
  return (performance.now() - started) / 1000
}

describe('a database that stops and starts again', () => {
  let dataDir: string
  let server: TestServer
  let database: Database

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'crossfade-recovery-'))
    await chmod(dataDir, 0o755)
    server = await startEmbeddedPostgres({ dataDir })
    database = openDatabase(server.url, { connections: 4, statementTimeoutMs: 500 })
  })
  afterAll(async () => {
    await database.close()
    await server.stop()
    await removeEmbeddedPostgres(dataDir)
  })

  it('fails quickly while the server is down and recovers within two seconds', async () => {
    expect(new Set((await queryConcurrently(database, 8)).map(({ outcome }) => outcome))).toEqual(
      new Set(['succeeded']),
    )
    const port = Number(new URL(server.url).port)
    await server.stop()
    const down = await queryConcurrently(database, 200)
    expect(down.every(({ outcome, ms }) => outcome === 'unavailable' && ms < 2500)).toBe(true)
    expect(await database.isReachable()).toBe(false)

    server = await startEmbeddedPostgres({ dataDir, port })
    expect(await measureRecoveryS(database)).toBeLessThan(2)
    await expect
      .poll(() => queryConcurrently(database, 8))
      .toSatisfy((results: { outcome: string }[]) => results.every(({ outcome }) => outcome === 'succeeded'))
  })

  it.skipIf(process.platform === 'win32')(
    'discards the connections to a server that does not respond',
    async () => {
      await queryConcurrently(database, 8)
      const group = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
        .split('\n')
        .map((line) => line.trim().split(/\s+/).map(Number))
        .filter(([pid, parent]) => pid === server.pid || parent === server.pid)
        .map(([pid]) => pid!)
      for (const pid of group) process.kill(pid, 'SIGSTOP')
      try {
        const frozen = await queryConcurrently(database, 12)
        expect(frozen.every(({ outcome, ms }) => outcome === 'unavailable' && ms < 4500)).toBe(true)
        expect(await database.isReachable()).toBe(false)
      } finally {
        for (const pid of group) process.kill(pid, 'SIGCONT')
      }
      expect(await measureRecoveryS(database)).toBeLessThan(2)
    },
  )
})
