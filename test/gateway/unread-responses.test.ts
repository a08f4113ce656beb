import { describe, expect, it, onTestFinished } from 'vitest'
import { createBodyBudget } from '#gateway/edge/body-budget.ts'
import { mayBeSent } from '#gateway/node/write-response.ts'
import { createDocsPages } from '#gateway/pages/docs-page.ts'
import { contentOf, createPageApp } from '#gateway/pages/page-app.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, openRawClient, type RawResponse, sendRaw } from '#test/support/raw-client.ts'

const totalBytes = 16_000_000
const largestPage = '/docs/reader.js'
const largePages = [largestPage, '/docs/reader.css', '/openapi.json']
const budget = createBodyBudget(totalBytes)
const gateway = startTestGateway({ control: 'fixed', bodyBudget: budget, nativeLabels: ['tracks.list'] })

const port = () => Number(new URL(gateway.url).port)
const send = (message: string, from = '127.0.0.1') =>
  sendRaw(port(), message, message.startsWith('HEAD') ? 'HEAD' : 'GET', from)

const expectBusy = (response: RawResponse) => {
  expect([response.status, response.header('x-service-core-runtime')]).toEqual([503, 'native'])
  expect(JSON.parse(response.body).error).toBe('gateway_busy')
  expect(response.header('retry-after')).toMatch(/^\d+$/)
}

/** Uses up a client's share of the budget until the test has finished. */
const useUpShare = (address: string) => {
  const { resize, release } = budget.reserve(address)
  resize(totalBytes / 2)
  onTestFinished(release)
  return release
}

describe('responses that a client does not read', () => {
  it('count against the budget until they are read', { timeout: 30_000 }, async () => {
    const clients = await Promise.all(Array.from({ length: 12 }, () => openRawClient(port())))
    const disconnect = () => {
      for (const { socket } of clients) socket.destroy()
    }
    onTestFinished(disconnect)
    for (const { socket } of clients) {
      socket.pause()
      // Twelve requests per connection, because the operating system's buffers take the first responses.
      socket.write(get(largestPage).repeat(12))
    }
    const limitBytes = totalBytes / 2
    await expect.poll(() => budget.usedBytes, { timeout: 10_000 }).toBeGreaterThan(limitBytes - 2_000_000)
    expect(budget.usedBytes).toBeLessThan(limitBytes + 1_000_000)

    expectBusy(await send(get(largestPage)))
    for (const path of ['/healthz', '/readyz']) expect((await send(get(path))).status).toBe(200)
    const other = await send(get(largestPage), '127.0.0.2')
    expect([other.status, other.complete]).toEqual([200, true])

    disconnect()
    await expect.poll(() => budget.usedBytes, { timeout: 10_000 }).toBe(0)
    expect((await send(get(largestPage))).status).toBe(200)
  })

  it('no longer count against the budget once they are sent', async () => {
    for (const path of [...largePages, '/healthz']) await send(get(path))
    await expect.poll(() => budget.usedBytes).toBe(0)
  })
})

describe('a client that has used up its share', () => {
  it.each(largePages)('gets 503 for %s until it has read the earlier responses', async (path) => {
    const release = useUpShare('127.0.0.1')
    expectBusy(await send(get(path)))
    expect((await send(get(path), '127.0.0.2')).status).toBe(200)
    release()
    expect((await send(get(path))).status).toBe(200)
  })

  it.each(largePages)('still gets the response to a HEAD request for %s, which has no body', async (path) => {
    useUpShare('127.0.0.1')
    const response = await send(get(path).replace('GET', 'HEAD'))
    expect(response.status).toBe(200)
    expect(Number(response.header('content-length'))).toBeGreaterThan(16_384)
  })

  it('still gets small responses, such as probes, errors and a 304 for a page it already has', async () => {
    const etag = (await send(get('/openapi.json'))).header('etag') ?? ''
    useUpShare('127.0.0.1')
    expect((await send(get('/healthz'))).status).toBe(200)
    expect((await send(get('/v1/libraries'))).status).toBe(401)
    expect((await send(get('/openapi.json', `If-None-Match: ${etag}`))).status).toBe(304)
  })

  it('gets 503 for a long list that native serves', async () => {
    const account = await gateway.signUp()
    for (let index = 0; index < 90; index++)
      await insertTrackOf(gateway.database.sql, account.accountId, `${index} ${'x'.repeat(150)}`)
    const list = await account.get('/v1/tracks')
    expect(JSON.stringify(list.body).length).toBeGreaterThan(16_384)

    useUpShare('127.0.0.1')
    expect(await account.get('/v1/tracks')).toMatchObject({ status: 503, body: { error: 'gateway_busy' } })
  })
})

describe('a long response for a client that has used up its share', () => {
  it.each([
    ['GET', false],
    ['POST', true],
    ['PATCH', true],
    ['DELETE', true],
  ])('is withheld only if its request had no effect: %s', (method, isSent) => {
    useUpShare('127.0.0.1')
    const client = { clientAddress: () => '127.0.0.1' }
    expect(mayBeSent(budget, method, 'x'.repeat(2_000_000), client)).toBe(isSent)
    expect(mayBeSent(budget, method, [new Uint8Array(2_000_000)], client)).toBe(isSent)
  })
})

describe("a page's body", () => {
  it.each([
    ['plain', 'identity'],
    ['compressed', 'gzip'],
  ])('is one buffer shared by all requests (%s)', async (_, coding) => {
    const pages = createPageApp([createDocsPages()])
    const request = new Request(`https://api.example${largestPage}`, {
      headers: { 'accept-encoding': coding },
    })
    const bindings = { context: { method: 'GET', path: largestPage, hasRewrittenPath: false } } as never
    const [first, second] = [await pages.fetch(request, bindings), await pages.fetch(request, bindings)]
    expect(contentOf(first)?.length).toBeGreaterThan(100_000)
    expect(contentOf(second)).toBe(contentOf(first))
    expect(first.body).toBeNull()
  })
})
