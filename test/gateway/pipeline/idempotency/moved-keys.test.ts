import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import { ApiError } from '#contracts/errors.ts'
import { isTwoSided, rowOf } from '#contracts/shared/row.ts'
import type { RunningGateway } from '#gateway/node/start-node-gateway.ts'
import { readSandboxSettings } from '#gateway/settings/settings.ts'
import { handlers } from '#native-routes/index.ts'
import { sampleCases } from '#test/support/count-cases.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { requestAt } from '#test/support/request-at.ts'
import { environmentOfWrites, prepareWrite, readRows, sendWrite, writes } from './write-cases.ts'

const newKey = () => crypto.randomUUID()
const label = 'libraries.create'

const startInstance = async (gateway: TestGateway, environment: Readonly<Record<string, string>>) => {
  const settings = readSandboxSettings({ ...gateway.environment, ...environment })
  const instance = await startGateway({ settings, log: createRecordingLog() })
  onTestFinished(() => instance.close())
  return instance.url
}

const sendLibrary = async (url: string, { token }: TestAccount, key: string, name = 'A') => {
  const { status, body, headers } = await requestAt(url, 'POST', '/v1/libraries', {
    token,
    body: { name },
    headers: { 'idempotency-key': key },
  })
  return {
    status,
    body,
    runtime: headers.get('x-service-core-runtime'),
    fallback: headers.get('x-service-proxy-fallback'),
  }
}

const byCore = { status: 200, runtime: 'proxy' }
const countLibraries = async ({ database: { sql } }: TestGateway, { accountId }: TestAccount) =>
  (await sql`select from libraries where owner_id = ${accountId}`).length

describe('a write whose idempotency key went to the core', () => {
  const gateway = startTestGateway({
    core: 'recording',
    billing: true,
    storage: true,
    environment: environmentOfWrites,
    nativeLabels: writes.filter((each) => rowOf(each).runtime === 'proxy'),
  })
  let killed: RunningGateway
  beforeAll(async () => {
    const settings = readSandboxSettings({ ...gateway.environment, GATEWAY_KILL: '*' })
    killed = await startGateway({ settings, log: createRecordingLog() })
  })
  afterAll(() => killed.close())

  it.each(sampleCases(writes.filter(isTwoSided), 0.25))(
    '%s goes to the core again after its route has moved to native, and native changes nothing',
    async (each) => {
      const write = await prepareWrite(gateway, each)
      const key = newKey()
      const rows = await readRows(gateway)
      const sent = gateway.core.requests.length
      for (const url of [killed.url, gateway.url, gateway.url])
        expect(await sendWrite(url, write, key)).toMatchObject({ ...byCore, isReplayed: false })
      expect(gateway.core.requests).toHaveLength(sent + 3)
      expect(await readRows(gateway)).toEqual(rows)
      expect((await sendWrite(gateway.url, write, newKey())).runtime).toBe('native')
    },
  )

  it('goes to the core even with a corrected body, and native rejects its key on another route', async () => {
    const [account, key] = [await gateway.signUp(), newKey()]
    expect(await sendLibrary(killed.url, account, key)).toMatchObject(byCore)
    expect(await sendLibrary(gateway.url, account, key, 'B')).toMatchObject({ ...byCore, fallback: '1' })
    const other = await account.post('/v1/packs', { name: 'A' }, { 'idempotency-key': key })
    expect([other.status, other.body]).toEqual([422, errorBody('idempotency_key_reused')])
    const pack = { label: 'packs.create', account, method: 'POST', path: '/v1/packs', body: {} } as const
    expect(await sendWrite(killed.url, pack, key)).toMatchObject(byCore)
  })

  it('is served natively once its key has expired', async () => {
    const [account, key] = [await gateway.signUp(), newKey()]
    await sendLibrary(killed.url, account, key)
    const [kept] = await gateway.database.sql`
      select extract(epoch from max(expires_at) - now())::float8 / 3600 as hours from idempotency_keys`
    expect(kept?.hours).toBeCloseTo(24, 1)
    await gateway.database.sql`update idempotency_keys set expires_at = now()`
    expect(await sendLibrary(gateway.url, account, key)).toMatchObject({ status: 201, runtime: 'native' })
    expect(await sendLibrary(killed.url, account, key)).toMatchObject({ status: 201, runtime: 'native' })
  })

  it('is served natively if the route is retired or there is no core', async () => {
    for (const environment of [{ GATEWAY_ROUTES: `${label}=retired` }, { CORE_BASE_URL: 'none' }]) {
      const [account, key] = [await gateway.signUp(), newKey()]
      await sendLibrary(killed.url, account, key)
      const url = await startInstance(gateway, environment)
      const first = await sendLibrary(url, account, key)
      expect(first).toMatchObject({ status: 201, runtime: 'native' })
      for (const replaying of [url, gateway.url, killed.url])
        expect((await sendLibrary(replaying, account, key)).body).toEqual(first.body)
    }
  })

  it('goes to one side and stays there if two instances that disagree get it at the same time', async () => {
    for (let round = 0; round < 8; round++) {
      const [account, key] = [await gateway.signUp(), newKey()]
      const before = gateway.core.requests.length
      const urls = [gateway.url, killed.url, gateway.url, killed.url]
      await Promise.all(urls.map((url) => sendLibrary(url, account, key)))
      for (const url of urls) await sendLibrary(url, account, key)
      const served = [
        await countLibraries(gateway, account),
        Math.min(1, gateway.core.requests.length - before),
      ]
      expect(served.toSorted()).toEqual([0, 1])
    }
  })

  it('is not sent to the core if the route is retired after the instance decided to forward it', async () => {
    const { sql } = gateway.database
    const [account, key] = [await gateway.signUp(), newKey()]
    await sql`insert into route_state (scope, state, weight_bp, killed, held, mode, version)
      values (${label}, 'retired', 10000, false, false, 'observe', 1)`
    await sql`update routing_epoch set epoch = epoch + 1000000`
    onTestFinished(async () => {
      await sql`delete from route_state where scope = ${label}`
      await sql`update routing_epoch set epoch = epoch - 1000000`
    })
    const before = gateway.core.requests.length
    const { status, body } = await sendLibrary(killed.url, account, key)
    expect([status, body]).toEqual([409, errorBody('idempotency_in_progress')])
    expect(gateway.core.requests).toHaveLength(before)
  })
})

describe('a write that native has begun to serve when its key goes to the core', () => {
  let beforeTransaction: (work: () => Promise<never>) => Promise<unknown> = async () => undefined
  const create = handlers[label]
  const gateway = startTestGateway({
    core: 'recording',
    handlers: {
      ...handlers,
      [label]: {
        ...create,
        handle: async (...[input, ports]: Parameters<typeof create.handle>) => {
          await beforeTransaction(async () => {
            throw new ApiError('library_not_found')
          })
          return create.handle(input, ports)
        },
      },
    },
  })

  it.each([
    ['reaches its transaction', async () => undefined],
    ['fails because of a change that the core made', (fail: () => Promise<never>) => fail()],
  ] as const)('goes to the core when it %s', async (_, proceed) => {
    const killed = await startInstance(gateway, { GATEWAY_KILL: label })
    const [account, key] = [await gateway.signUp(), newKey()]
    const before = gateway.core.requests.length
    beforeTransaction = async (fail) => {
      expect(await sendLibrary(killed, account, key)).toMatchObject(byCore)
      await proceed(fail)
    }
    expect(await sendLibrary(gateway.url, account, key)).toMatchObject({ ...byCore, fallback: '1' })
    expect(gateway.core.requests).toHaveLength(before + 2)
    expect(await countLibraries(gateway, account)).toBe(0)
  })
})

describe('a key that goes to the core', () => {
  const gateway = startTestGateway({ core: 'recording', throughRelay: true })

  it('is stored before the request is sent, even if the core never responds', async () => {
    const killed = await startInstance(gateway, { GATEWAY_KILL: label })
    const [account, key] = [await gateway.signUp(), newKey()]
    const stored = Promise.withResolvers<number>()
    gateway.core.nextReplies.push((socket) => {
      const count = gateway.database.sql`select from idempotency_keys where forwarded_route = ${label}`
      count.then(({ length }) => stored.resolve(length), stored.reject)
      socket.destroy()
    })
    expect(await sendLibrary(killed, account, key)).toMatchObject({ status: 502, runtime: 'proxy' })
    expect(await stored.promise).toBe(1)
    expect(await sendLibrary(gateway.url, account, key)).toMatchObject(byCore)
  })

  it('is sent only if it was stored, no matter when the database connection is lost', async () => {
    const killed = await startInstance(gateway, { GATEWAY_KILL: label })
    const statuses: number[] = []
    for (let cutAt = 0; cutAt < 8; cutAt++) {
      const [account, key] = [await gateway.signUp(), newKey()]
      const before = gateway.core.requests.length
      let message = 0
      gateway.relay.onStatement = () => (message++ === cutAt ? 'cut-before' : null)
      const { status, body } = await sendLibrary(killed, account, key)
      gateway.relay.onStatement = () => null
      statuses.push(status)
      const sent = gateway.core.requests.length - before
      expect([status, sent]).toEqual(status === 200 ? [200, 1] : [503, 0])
      if (status === 503) expect(body).toEqual(errorBody('libraries_database_unavailable'))
      const retried = await sendLibrary(gateway.url, account, key)
      expect(retried.runtime).toBe(status === 200 ? 'proxy' : 'native')
    }
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
  })

  it('is stored even if the connection is lost after COMMIT, so its retry goes to the core', async () => {
    const killed = await startInstance(gateway, { GATEWAY_KILL: label })
    const [account, key] = [await gateway.signUp(), newKey()]
    gateway.relay.onStatement = (statement) => (statement === 'commit' ? 'cut-after' : null)
    expect((await sendLibrary(killed, account, key)).status).toBe(503)
    gateway.relay.onStatement = () => null
    expect(await sendLibrary(gateway.url, account, key)).toMatchObject(byCore)
    expect(await countLibraries(gateway, account)).toBe(0)
  })
})
