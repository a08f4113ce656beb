import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import { readSandboxSettings } from '#gateway/settings/settings.ts'
import { NotPortedError } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { requestAt } from '#test/support/request-at.ts'

const bodyLimit = 2000
const environment = { BODY_LIMIT_BYTES: String(bodyLimit), BODY_MEMORY_BYTES: '100000' }
const newKey = () => crypto.randomUUID()
const library = (name: string) => ({ name })

const sendChunked = async (url: string, token: string, key: string, text: string) => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => {
    socket.destroy()
  })
  const middle = Math.ceil(text.length / 2)
  const parts = [text.slice(0, middle), text.slice(middle)]
  socket.write(
    `POST /v1/libraries HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer ${token}\r\n` +
      `Idempotency-Key: ${key}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n` +
      `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`,
  )
  return Buffer.concat(await socket.toArray()).toString()
}

describe('a forwarded write with an idempotency key', () => {
  const gateway = startTestGateway({ core: 'recording', throughRelay: true, environment })

  const startKilled = async () => {
    const settings = readSandboxSettings({ ...gateway.environment, GATEWAY_KILL: 'libraries.create' })
    const killed = await startGateway({ settings, log: createRecordingLog() })
    onTestFinished(() => killed.close())
    const post = ({ token }: TestAccount, body: unknown, key: string) =>
      requestAt(killed.url, 'POST', '/v1/libraries', { token, body, headers: { 'idempotency-key': key } })
    return { url: killed.url, post }
  }
  const post = (account: TestAccount, body: object, key: string) =>
    account.post('/v1/libraries', body, { 'idempotency-key': key })
  const forwarded = () => gateway.core.requests.length
  const runtimeOf = (response: { headers: Headers }) => response.headers.get('x-service-core-runtime')

  it('is replayed if native served it before the route was killed', async () => {
    const [killed, account, key] = [await startKilled(), await gateway.signUp(), newKey()]
    const first = await post(account, library('A'), key)
    const before = forwarded()
    const second = await killed.post(account, library('A'), key)
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([
      201,
      201,
      'true',
    ])
    expect([second.body, runtimeOf(second)]).toEqual([first.body, 'native'])
    expect((await killed.post(account, library('B'), key)).body).toEqual(errorBody('idempotency_key_reused'))
    expect(forwarded()).toBe(before)
  })

  it('is forwarded with its key and body if no response is stored, and so are its retries', async () => {
    const [killed, account, key] = [await startKilled(), await gateway.signUp(), newKey()]
    for (const body of [library('A'), library('B')]) {
      const response = await killed.post(account, body, key)
      expect([response.status, runtimeOf(response), response.headers.get('idempotent-replayed')]).toEqual([
        200,
        'proxy',
        null,
      ])
      const sent = gateway.core.requests.at(-1)
      expect(sent?.headers).toContainEqual(['idempotency-key', key])
      expect(String(await sent?.body)).toBe(JSON.stringify(body))
    }
    expect(runtimeOf(await post(account, library('A'), key))).toBe('proxy')
  })

  it('returns 409 while native is serving it', async () => {
    const [killed, account, key] = [await startKilled(), await gateway.signUp(), newKey()]
    await post(account, library('A'), key)
    const [stored] = await gateway.database.sql<{ key_hash: string }[]>`
      select key_hash from idempotency_keys order by expires_at desc limit 1`
    const before = forwarded()
    await gateway.database.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${`idempotency key ${stored?.key_hash}`}, 0))`
      for (const response of [
        await killed.post(account, library('A'), key),
        await post(account, library('A'), key),
      ]) {
        expect([response.status, response.body]).toEqual([409, errorBody('idempotency_in_progress')])
        expect(response.headers.get('retry-after')).toBe('1')
      }
    })
    expect(forwarded()).toBe(before)
    expect((await killed.post(account, library('A'), key)).status).toBe(201)
  })

  it('is replayed while other retries look up the same key', async () => {
    const [killed, account, key] = [await startKilled(), await gateway.signUp(), newKey()]
    const first = await post(account, library('A'), key)
    const [stored] = await gateway.database.sql<{ key_hash: string }[]>`
      select key_hash from idempotency_keys order by expires_at desc limit 1`
    await gateway.database.sql.begin(async (tx) => {
      await tx`
        select pg_advisory_xact_lock_shared(hashtextextended(${`idempotency key ${stored?.key_hash}`}, 0))`
      for (const response of [
        await killed.post(account, library('A'), key),
        await post(account, library('A'), key),
      ])
        expect([response.status, response.body]).toEqual([201, first.body])
    })
  })

  it('is forwarded without a lookup if its body is too long or its token is invalid', async () => {
    const [killed, account, key] = [await startKilled(), await gateway.signUp(), newKey()]
    await post(account, library('A'), key)
    const long = { name: 'x'.repeat(bodyLimit) }
    const response = await killed.post(account, long, key)
    expect([response.status, runtimeOf(response)]).toEqual([200, 'proxy'])
    expect(String(await gateway.core.requests.at(-1)?.body)).toBe(JSON.stringify(long))
    const unverified = await killed.post({ ...account, token: 'not.a.token' }, library('A'), key)
    expect([unverified.status, runtimeOf(unverified)]).toEqual([200, 'proxy'])
  })

  it('is looked up even if its body is chunked, and forwarded whole if the body is too long', async () => {
    const [killed, account, key] = [await startKilled(), await gateway.signUp(), newKey()]
    const first = await post(account, library('A'), key)
    const text = JSON.stringify(library('A'))
    const replayed = await sendChunked(killed.url, account.token, key, text)
    expect(replayed).toMatch(/^HTTP\/1.1 201 /)
    expect(replayed.toLowerCase()).toContain('idempotent-replayed: true')
    expect(replayed).toContain(first.body.id)
    for (const name of ['short', 'x'.repeat(3 * bodyLimit)]) {
      const body = JSON.stringify(library(name))
      expect(await sendChunked(killed.url, account.token, newKey(), body)).toMatch(/^HTTP\/1.1 200 /)
      expect(String(await gateway.core.requests.at(-1)?.body)).toBe(body)
    }
  })

  // This test must be last, because the gateway does not try native for a while afterwards.
  it('is rejected while the database is down, although a write without a key falls back', async () => {
    const [killed, account, key] = [await startKilled(), await gateway.signUp(), newKey()]
    await post(account, library('A'), key)
    const before = forwarded()
    gateway.relay.setUnavailable(true)
    onTestFinished(() => gateway.relay.setUnavailable(false))
    for (const response of [
      await killed.post(account, library('A'), key),
      await post(account, library('A'), key),
    ]) {
      expect([response.status, response.body]).toEqual([503, errorBody('libraries_database_unavailable')])
      expect([response.headers.get('retry-after'), runtimeOf(response)]).toEqual(['1', 'native'])
    }
    expect(forwarded()).toBe(before)
    const withoutKey = await account.post('/v1/libraries', library('A'))
    expect([withoutKey.status, runtimeOf(withoutKey)]).toEqual([200, 'proxy'])
  })
})

describe('a write with an idempotency key that falls back', () => {
  let isPorted = false
  const create = handlers['libraries.create']
  const handle: (typeof create)['handle'] = (input, ports) =>
    isPorted
      ? create.handle(input, ports)
      : ports.db.tx(async () => {
          throw new NotPortedError()
        })
  const gateway = startTestGateway({
    core: 'recording',
    environment,
    handlers: {
      ...handlers,
      'libraries.create': {
        ...create,
        handle,
      },
    },
  })

  it('goes to the core again even if native can now serve it, and is replayed if native served it first', async () => {
    const account = await gateway.signUp()
    const post = async (key: string) => {
      const { status, headers } = await account.post(
        '/v1/libraries',
        { name: 'A' },
        { 'idempotency-key': key },
      )
      return [status, headers.get('x-service-proxy-fallback'), headers.get('idempotent-replayed')]
    }
    const [forwarded, native] = [newKey(), newKey()]
    isPorted = false
    expect(await post(forwarded)).toEqual([200, '1', null])
    isPorted = true
    expect(await post(forwarded)).toEqual([200, '1', null])
    expect(await post(native)).toEqual([201, '0', null])
    isPorted = false
    expect(await post(native)).toEqual([201, '0', 'true'])
    expect(gateway.core.requests).toHaveLength(2)
  })

  // This test must be last, because it pauses the route.
  it('reaches the core whole while the route is paused, or is rejected if its body is too long', async () => {
    isPorted = false
    const account = await gateway.signUp()
    for (let round = 0; round < 10; round += 1) await account.post('/v1/libraries', library('A'))
    const before = gateway.core.requests.length
    const text = JSON.stringify(library('A'))
    expect(await sendChunked(gateway.url, account.token, newKey(), text)).toMatch(/^HTTP\/1.1 200 /)
    expect(String(await gateway.core.requests.at(-1)?.body)).toBe(text)
    const long = JSON.stringify(library('x'.repeat(3 * bodyLimit)))
    expect(await sendChunked(gateway.url, account.token, newKey(), long)).toMatch(/^HTTP\/1.1 413 /)
    expect(gateway.core.requests).toHaveLength(before + 1)
  })
})
