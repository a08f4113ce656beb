import { describe, expect, it } from 'vitest'
import { list, sharedWithMe } from '#contracts/libraries.ts'
import { defineRoute } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { recordNativeResults } from '#test/support/native-results.ts'
import { openRawClient } from '#test/support/raw-client.ts'

/** Together, these are larger than what the buffers of both sockets can hold. */
const records = Array.from({ length: 32 }, (_, index) => ({
  id: `library-${index}`,
  name: 'n'.repeat(1024 * 1024),
  description: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  trackCount: 0,
  shareCount: 0,
}))

describe("native's result", () => {
  const recorded = recordNativeResults()
  const gateway = startTestGateway({
    ...recorded.options,
    handlers: {
      ...handlers,
      'libraries.list': defineRoute(list, async () => ({ records })),
      'libraries.shared-with-me': defineRoute(sharedWithMe, async () => {
        throw new TypeError('fault')
      }),
    },
  })
  const countLines = () => gateway.log.lines.filter(({ fields }) => fields.route === 'libraries.list').length
  const getSlowly = async (path: string) => {
    const { token } = await gateway.signUp()
    const client = await openRawClient(Number(new URL(gateway.url).port))
    client.socket.pause()
    client.send(`GET ${path} HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${token}\r\n\r\n`)
    return client
  }

  it('is counted before a slow client has read the response', async () => {
    recorded.results.length = 0
    const client = await getSlowly('/v1/libraries')
    await expect.poll(() => recorded.results).toEqual([{ label: 'libraries.list', failed: false }])
    expect(countLines()).toBe(0)
    client.socket.resume()
    await expect.poll(countLines).toBe(1)
    await expect.poll(() => client.text().length).toBeGreaterThan(records.length * 1024 * 1024)
    expect(recorded.results).toHaveLength(1)
    client.socket.destroy()
  })

  it('is counted even if the client disconnects instead of reading the response', async () => {
    recorded.results.length = 0
    const before = countLines()
    const client = await getSlowly('/v1/libraries')
    await expect.poll(() => recorded.results).toHaveLength(1)
    client.socket.destroy()
    await expect.poll(countLines).toBe(before + 1)
    expect(recorded.results).toEqual([{ label: 'libraries.list', failed: false }])
  })

  it('is counted once if it is a failure', async () => {
    recorded.results.length = 0
    const account = await gateway.signUp()
    expect((await account.get('/v1/libraries/shared-with-me')).status).toBe(500)
    expect(recorded.results).toEqual([{ label: 'libraries.shared-with-me', failed: true }])
  })
})
