import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { migrateDatabase } from '#db/migrate.ts'
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '#dev/postgres/start.ts'
import { startSandboxCore } from '#dev/sandbox/core/start-core.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { isInstalledOrSkipped } from '#test/support/installed-programs.ts'
import { type PgBouncer, startPgBouncer } from '#test/support/pgbouncer.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { startGatewaysUnderTest } from './gateway-under-test.ts'
import { expectAsDocumented } from './observe-fault.ts'

const harness = startTestGateway()

let folder: string
let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>
let core: Awaited<ReturnType<typeof startSandboxCore>>
const startServer = (port?: number) =>
  startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), ...(port === undefined ? {} : { port }) })
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crossfade-faults-'))
  server = await startServer()
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
  await removeEmbeddedPostgres(join(folder, 'postgres'))
  await rm(folder, { recursive: true, force: true })
})

const startAgain = async () => {
  server = await startServer(Number(new URL(server.url).port))
}

interface Fault {
  readonly forMs: number
  readonly begin: () => unknown
  readonly end: () => unknown
}

const startWith = (environment: () => Readonly<Record<string, string>>) => {
  const { gateways, probes } = startGatewaysUnderTest(harness, {
    environment: () => ({ CORE_BASE_URL: core.url, ...environment() }),
  })
  return (name: string, fault: Fault) =>
    expectAsDocumented(name, { urls: () => gateways.map(({ url }) => url), probes: probes(), ...fault })
}

describe('faults of a database that the gateway connects to directly', () => {
  const observe = startWith(() => ({ DATABASE_URL: server.url, DATABASE_DIRECT_URL: server.url }))

  it('The database restarts', ({ task }) =>
    observe(task.name, { begin: () => server.stop(), forMs: 1500, end: startAgain }))
  it('The database is killed', ({ task }) =>
    observe(task.name, {
      begin: async () => {
        process.kill(server.pid, 'SIGKILL')
        await server.stop()
      },
      forMs: 1500,
      end: startAgain,
    }))
})

describe('faults of the network between the gateway and its database', () => {
  const databases: FaultProxy[] = []
  beforeAll(async () => {
    databases.push(await startFaultProxy(server.url), await startFaultProxy(server.url))
  })
  afterAll(() => Promise.all(databases.map((database) => database.close())))
  const urlOf = (hosts: readonly FaultProxy[]) =>
    server.url.replace(new URL(server.url).host, hosts.map(({ host }) => host).join())

  describe('with one host', () => {
    const observe = startWith(() => {
      const url = urlOf(databases.slice(0, 1))
      return { DATABASE_URL: url, DATABASE_DIRECT_URL: url }
    })
    const mend = () => databases[0]!.mend()

    it('The database cannot be reached', ({ task }) =>
      observe(task.name, { begin: () => databases[0]!.refuse(), forMs: 4000, end: mend }))
    it('The database hangs', ({ task }) =>
      observe(task.name, { begin: () => databases[0]!.hang(), forMs: 8000, end: mend }))
    it('The database is slow', ({ task }) =>
      observe(task.name, { begin: () => databases[0]!.delay(100), forMs: 4000, end: mend }))
  })

  describe('with two hosts', () => {
    const observe = startWith(() => {
      const url = urlOf(databases)
      return { DATABASE_URL: url, DATABASE_DIRECT_URL: url }
    })

    it('The database fails over', ({ task }) =>
      observe(task.name, {
        begin: async () => {
          await databases[1]!.refuse()
          await databases[0]!.refuse()
          await sleep(1500)
        },
        forMs: 0,
        end: () => databases[1]!.mend(),
      }))
  })
})

describe.runIf(isInstalledOrSkipped('pgbouncer', 'the faults behind a pooler'))(
  'faults of a database behind PgBouncer',
  () => {
    let pooler: PgBouncer
    beforeAll(async () => {
      pooler = await startPgBouncer(server.url, { server_login_retry: 1 })
    })
    afterAll(() => pooler.stop())
    const observe = startWith(() => ({
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: server.url,
      DATABASE_PREPARE: 'off',
    }))

    it('The database restarts behind PgBouncer', ({ task }) =>
      observe(task.name, { begin: () => server.stop(), forMs: 1500, end: startAgain }))
  },
)
