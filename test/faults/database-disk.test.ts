import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { migrateDatabase } from '#db/migrate.ts'
import { startEmbeddedPostgres } from '#dev/postgres/start.ts'
import { startSandboxCore } from '#dev/sandbox/core/start-core.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startGatewaysUnderTest } from './gateway-under-test.ts'
import { expectAsDocumented } from './observe-fault.ts'

const mount = (folder: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256m,mode=755', 'tmpfs', folder]).status === 0

const folder = mkdtempSync(join(tmpdir(), 'crossfade-disk-'))
const disk = join(folder, 'disk')
// If the tests run as root, PostgreSQL runs as `nobody`, which has to reach its folder inside this one.
chmodSync(folder, 0o711)
mkdirSync(disk)
const isMounted = mount(disk)
if (!isMounted)
  process.stderr.write('only root may mount a disk: the faults of a full database disk are skipped\n')
afterAll(() => {
  if (isMounted) spawnSync('umount', ['--lazy', disk])
  rmSync(folder, { recursive: true, force: true })
})

const filler = join(disk, 'filler')
// `dd` ends with an error when the disk is full.
const fillDisk = () => spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k'])
const freeDisk = () => rmSync(filler)

describe.runIf(isMounted)("faults of a database's disk", () => {
  const harness = startTestGateway()
  let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>
  let core: Awaited<ReturnType<typeof startSandboxCore>>
  beforeAll(async () => {
    server = await startEmbeddedPostgres({ dataDir: disk })
    await migrateDatabase(server.url)
    const { issuer, audience, jwksUrl } = harness.issuer
    core = await startSandboxCore({
      DATABASE_URL: server.url,
      AUTH_ISSUER: issuer,
      AUTH_AUDIENCE: audience,
      AUTH_JWKS_URL: jwksUrl,
    })
  }, 60_000)
  afterAll(async () => {
    await core.close()
    await server.stop()
  })
  const { gateways, probes } = startGatewaysUnderTest(harness, {
    environment: () => ({
      CORE_BASE_URL: core.url,
      DATABASE_URL: server.url,
      DATABASE_DIRECT_URL: server.url,
    }),
  })
  const observe = (name: string, fault: { begin: () => unknown; forMs: number; end: () => unknown }) =>
    expectAsDocumented(name, { urls: () => gateways.map(({ url }) => url), probes: probes(), ...fault })

  it('The disk that holds the tables is full', async ({ task }) => {
    const sql = postgres(server.url, { max: 1, onnotice: () => undefined })
    const reserved = await sql.reserve()
    await observe(task.name, {
      begin: async () => {
        fillDisk()
        // An old snapshot keeps the row versions that writes replace, so the writes need new pages.
        await reserved`begin isolation level repeatable read`
        await reserved`select 1`
      },
      forMs: 10_000,
      end: freeDisk,
    })
    await reserved`rollback`
    reserved.release()
    await sql.end()
  })

  it('The disk that holds the write-ahead log is full', ({ task }) =>
    observe(task.name, {
      begin: async () => {
        fillDisk()
        const sql = postgres(server.url, { max: 1, onnotice: () => undefined })
        let isRunning = true
        void server.exited.then(() => {
          isRunning = false
        })
        // PostgreSQL shuts down once it cannot create its next write-ahead log file.
        while (isRunning) {
          void sql`select pg_switch_wal()`.catch(() => undefined)
          await sleep(100)
        }
        await sql.end({ timeout: 0 })
      },
      forMs: 1000,
      end: async () => {
        freeDisk()
        await server.stop()
        server = await startEmbeddedPostgres({ dataDir: disk, port: Number(new URL(server.url).port) })
      },
    }))
})
