import { expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { openRawClient } from '#test/support/raw-client.ts'
import { storeRouteState } from '#test/support/routing.ts'

const gateway = startTestGateway({
  core: 'recording',
  // No response is copied, so each one is recorded as uncompared.
  comparisonRates: { attemptsPerSecond: 0, ownCopiesPerMinute: 0, ownAsksPerMinute: 0 },
  comparisonWriteMs: 50,
})

it('a response that the client did not wait for is not recorded as uncompared', async () => {
  await storeRouteState(gateway.database, { scope: 'libraries.list', state: 'shadow' })
  const { get, token } = await gateway.signUp()
  await expect
    .poll(async () => (await get('/v1/libraries')).headers.get('x-service-core-runtime'))
    .toBe('proxy')
  gateway.core.nextReplies.push(() => {})
  const before = gateway.core.requests.length
  const client = await openRawClient(Number(new URL(gateway.url).port))
  client.send(`GET /v1/libraries HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${token}\r\n\r\n`)
  await expect.poll(() => gateway.core.requests.length).toBe(before + 1)
  client.socket.destroy()
  await expect.poll(() => gateway.log.lines.some(({ fields }) => fields.status === 499)).toBe(true)
  await get('/v1/libraries')
  const readStatuses = async () => {
    const rows = await gateway.database.sql`select statuses from route_usage where label = 'libraries.list'`
    return rows[0]?.statuses
  }
  await expect.poll(readStatuses, { timeout: 10_000 }).toEqual({ 200: expect.any(Number) })
  const counted = await readStatuses()
  await get('/v1/libraries')
  await expect.poll(readStatuses, { timeout: 10_000 }).not.toEqual(counted)
  expect(Object.keys((await readStatuses()) ?? {})).toEqual(['200'])
})
