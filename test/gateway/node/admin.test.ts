import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import { readSandboxSettings, type Settings } from '#gateway/settings/settings.ts'
import { itThoroughly } from '#test/support/count-cases.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { openRawClient, sendRaw } from '#test/support/raw-client.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const portOf = (url: string | null) => Number(new URL(url ?? '').port)
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`

describe('the admin listener', () => {
  const gateway = startTestGateway({ throughRelay: true })

  const startAnother = async (changes: Partial<Settings> = {}) => {
    const settings = { ...gateway.settings, ...changes }
    const another = await startGateway({ settings, log: createRecordingLog() })
    onTestFinished(() => another.close(0))
    return another
  }

  it('listens on loopback unless ADMIN_HOST is set', async () => {
    expect(new URL(gateway.adminUrl).hostname).toBe('127.0.0.1')
    const another = await startAnother({ ADMIN_HOST: 'localhost' })
    expect((await fetch(`${another.adminUrl}/metrics`)).status).toBe(200)
  })

  it('does not start if ADMIN_PORT is off', async () => {
    const another = await startAnother({ ADMIN_PORT: null })
    expect(another.adminUrl).toBeNull()
    expect((await fetch(`${another.url}/metrics`)).status).toBe(404)
    expect((await fetch(`${another.url}/readyz`)).status).toBe(200)
  })

  it('fails with an error that names its setting if it cannot listen, and leaves the public port free', async () => {
    const port = portOf(gateway.adminUrl)
    const probe = createServer()
    const publicPort = await new Promise<number>((resolve) =>
      probe.listen(0, '127.0.0.1', () => {
        const address = probe.address()
        resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
      }),
    )
    await new Promise((resolve) => probe.close(resolve))
    await expect(startAnother({ ADMIN_PORT: port, PORT: publicPort })).rejects.toThrow(
      `port ${port} on 127.0.0.1 is in use: set ADMIN_PORT to a free port`,
    )
    await expect(startAnother({ ADMIN_HOST: '192.0.2.1' })).rejects.toThrow(
      'ADMIN_HOST 192.0.2.1 is not an address of this machine: set ADMIN_HOST to a local address',
    )
    await expect(fetch(`http://127.0.0.1:${publicPort}/healthz`)).rejects.toThrow()
  })

  it('stops if the public port is in use', async () => {
    const settings = { ...gateway.settings, PORT: portOf(gateway.url), ADMIN_PORT: 0 }
    const listening = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length
    const before = listening()
    await expect(startGateway({ settings, log: createRecordingLog() })).rejects.toThrow(
      'set PORT to a free port',
    )
    await expect.poll(listening).toBe(before)
  })

  it('checks the database at most once a second, however many requests it gets', async () => {
    const { relay } = gateway
    let packets = 0
    relay.onStatement = () => {
      packets += 1
      return null
    }
    const ready = () => gateway.requestAdmin('GET', '/readyz')
    const readPacketsOf = async (requests: number) => {
      const before = packets
      const startedAt = performance.now()
      const responses = await Promise.all(Array.from({ length: requests }, ready))
      for (const { body } of responses) expect(body.database).toBe('up')
      return { sent: packets - before, seconds: (performance.now() - startedAt) / 1000 }
    }
    await readPacketsOf(1)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const { sent: packetsOfOne } = await readPacketsOf(1)
    expect(packetsOfOne).toBeGreaterThan(0)
    const { sent, seconds } = await readPacketsOf(100)
    expect(sent).toBeLessThanOrEqual(packetsOfOne * (Math.ceil(seconds) + 1))

    const before = packets
    const statuses = Array.from({ length: 500 }, async () => (await gateway.request('GET', '/readyz')).status)
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]))
    expect(packets).toBe(before)
    relay.onStatement = () => null
  }, 30_000)

  it('reports immediately that the process is draining, and closes after the public listener', async () => {
    const another = await startAnother()
    const keptAlive = await openRawClient(portOf(another.adminUrl))
    keptAlive.send(get('/readyz'))
    expect((await keptAlive.receiveResponse()).status).toBe(200)
    another.drain()
    for (const url of [another.url, another.adminUrl])
      expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'draining' })
    expect((await fetch(`${another.url}/readyz`)).status).toBe(503)

    // A request with an incomplete body keeps the public listener from closing.
    const { token } = await gateway.signUp()
    const upload = await openRawClient(portOf(another.url))
    const head = ['POST /v1/libraries HTTP/1.1', 'Host: a', `Authorization: Bearer ${token}`]
    upload.send([...head, 'Content-Length: 9', 'Expect: 100-continue', '', ''].join('\r\n'))
    await expect.poll(upload.text).toContain('100 Continue')
    const closing = another.close(1500)
    await expect
      .poll(() =>
        fetch(another.url).then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed')
    keptAlive.send(get('/readyz'))
    expect((await keptAlive.receiveResponse()).status).toBe(503)
    expect((await sendRaw(portOf(another.adminUrl), get('/metrics'))).status).toBe(200)
    await closing
    await keptAlive.waitForClose()
    await expect(fetch(`${another.adminUrl}/readyz`)).rejects.toThrow()
    upload.socket.destroy()
  }, 20_000)

  it('closes even if a client has sent only part of a request', async () => {
    const another = await startAnother()
    const slow = await openRawClient(portOf(another.adminUrl))
    slow.send('GET /metrics HTTP/1.1\r\nHost: 127')
    await another.close(0)
    await slow.waitForClose()
  })

  itThoroughly(
    "responds before a request's body has arrived, and then closes the connection",
    async () => {
      const client = await openRawClient(portOf(gateway.adminUrl))
      client.send('POST /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999\r\n\r\nx')
      expect((await client.receiveResponse()).status).toBe(405)
      await client.waitForClose()
    },
    15_000,
  )

  it('rejects malformed requests, as the public listener does', async () => {
    const response = await sendRaw(
      portOf(gateway.adminUrl),
      'GET /metrics HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
    )
    expect(response.status).toBe(400)
    expect(JSON.parse(response.body)).toEqual(errorBody('bad_request'))
  })
})

describe("the admin listener's settings", () => {
  const gateway = startTestGateway()
  const read = (changes: Readonly<Record<string, string>>) =>
    readSandboxSettings({ ...gateway.environment, ADMIN_PORT: '', JOBS_ADMIN_PORT: '', ...changes })

  it('have defaults', () => {
    expect(read({})).toMatchObject({ ADMIN_HOST: '127.0.0.1', ADMIN_PORT: 8788, JOBS_ADMIN_PORT: 8789 })
  })

  it('accept "off" in place of a port', () => {
    expect(read({ ADMIN_PORT: 'off', JOBS_ADMIN_PORT: 'off' })).toMatchObject({
      ADMIN_PORT: null,
      JOBS_ADMIN_PORT: null,
    })
  })

  it("reject the public listener's port, and report any other errors too", () => {
    expect(() => read({ PORT: '8788', LOG_LEVEL: 'loud' })).toThrow(
      /LOG_LEVEL must(?:.*\n)+.*ADMIN_PORT must differ from PORT/,
    )
    expect(read({ PORT: '0', ADMIN_PORT: '0' })).toMatchObject({ PORT: 0, ADMIN_PORT: 0 })
  })
})
