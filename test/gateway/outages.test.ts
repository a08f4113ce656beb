import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import { migrateDatabase } from '#db/migrate.ts'
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '#dev/postgres/start.ts'
import { startTokenIssuer, type TokenIssuer } from '#dev/sandbox/token-issuer.ts'
import type { RunningGateway } from '#gateway/node/start-node-gateway.ts'
import { readSandboxSettings } from '#gateway/settings/settings.ts'
import { errorBody, errorOfRead } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { unreachableStorage } from '#test/support/storage.ts'

const listChildProcesses = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)

describe('a gateway whose core is unavailable', () => {
  const gateway = startTestGateway({ core: 'recording' })

  it('serves native routes and returns 503 for forwarded ones', async () => {
    const account = await gateway.signUp()
    await gateway.stopCore()
    expect((await account.get('/v1/libraries')).status).toBe(200)
    const forwarded = await account.get('/v1/tracks')
    expect([forwarded.status, forwarded.body]).toEqual([503, errorOfRead('core_unavailable')])
    expect(forwarded.headers.get('x-service-core-runtime')).toBe('proxy')
    expect(forwarded.headers.get('x-service-native-route')).toBe('tracks.list')
    expect(forwarded.headers.get('cache-control')).toBe('no-store')
    expect((await gateway.request('GET', '/readyz')).status).toBe(200)
  })
})

describe('a gateway whose database is unavailable', () => {
  let folder: string
  let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>
  let issuer: TokenIssuer
  let gateway: RunningGateway
  let authorization: string

  const dataDir = () => join(folder, 'postgres')
  const start = (port?: number) =>
    startEmbeddedPostgres({ dataDir: dataDir(), ...(port === undefined ? {} : { port }) })

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossfade-outage-'))
    ;[server, issuer] = await Promise.all([start(), startTokenIssuer({ stateDir: folder })])
    await migrateDatabase(server.url)
    const settings = readSandboxSettings({
      PORT: '0',
      ADMIN_PORT: '0',
      DATABASE_URL: server.url,
      CORE_BASE_URL: 'none',
      AUTH_ISSUER: issuer.issuer,
      AUTH_AUDIENCE: issuer.audience,
      AUTH_JWKS_URL: issuer.jwksUrl,
      GATEWAY_SECRET: 'gateway-secret-of-the-tests',
      ...unreachableStorage,
    })
    gateway = await startGateway({ settings, log: createRecordingLog(), nativeTimeoutMs: 1500 })
    authorization = `Bearer ${await issuer.mintToken('acct_outage')}`
  }, 60_000)

  afterAll(async () => {
    await gateway.close()
    await Promise.all([server.stop(), issuer.close()])
    await removeEmbeddedPostgres(dataDir())
    await rm(folder, { recursive: true, force: true })
  })

  const get = async (path: string) => {
    const response = await fetch(gateway.url + path, { headers: { authorization } })
    return { status: response.status, body: await response.json() }
  }
  const readStates = async () => (await fetch(`${gateway.adminUrl}/readyz`)).json()
  const create = (name: string) =>
    fetch(`${gateway.url}/v1/libraries`, {
      method: 'POST',
      headers: { authorization },
      body: JSON.stringify({ name }),
    })

  const unavailable = { status: 503, body: errorBody('libraries_database_unavailable') }

  it("returns the contract's 503, and recovers within two seconds of the end of the outage", async () => {
    expect((await get('/v1/libraries')).status).toBe(200)
    const port = Number(new URL(server.url).port)
    process.kill(server.pid, 'SIGKILL')
    await server.stop()
    // A backend may serve one more query before it notices that its postmaster has exited.
    await expect.poll(() => get('/v1/libraries')).toEqual(unavailable)

    const down = await Promise.all(Array.from({ length: 20 }, () => get('/v1/libraries')))
    for (const response of down) expect(response).toEqual(unavailable)
    const write = await create('During the outage')
    expect([write.status, await write.json()]).toEqual([503, unavailable.body])
    expect(write.headers.get('retry-after')).toBe('1')
    await expect.poll(readStates, { timeout: 4000 }).toMatchObject({ database: 'down', jobs: 'unknown' })
    expect(await get('/readyz')).toEqual({ status: 200, body: { status: 'ready' } })

    server = await start(port)
    await expect
      .poll(async () => (await get('/v1/libraries')).status, { timeout: 2000, interval: 50 })
      .toBe(200)
    expect((await create('After the outage')).status).toBe(201)
    await expect.poll(readStates, { timeout: 4000 }).toMatchObject({ database: 'up' })
  }, 60_000)

  it('returns 503 if the database is frozen', async () => {
    process.kill(server.pid, 'SIGSTOP')
    const pids = listChildProcesses(server.pid)
    for (const pid of pids) process.kill(Number(pid), 'SIGSTOP')
    try {
      expect(await get('/v1/libraries')).toEqual(unavailable)
    } finally {
      for (const pid of [...pids, server.pid]) process.kill(Number(pid), 'SIGCONT')
    }
    await expect
      .poll(async () => (await get('/v1/libraries')).status, { timeout: 4000, interval: 50 })
      .toBe(200)
  }, 60_000)
})
