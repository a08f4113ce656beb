import { expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestWorker } from '#test/support/worker.ts'

const gateway = startTestGateway({ control: 'fixed', core: 'recording' })
const worker = startTestWorker(gateway)

it('an isolate serves concurrent requests while it is still loading the native side', async () => {
  const { token } = await gateway.signUp()
  const statuses: number[] = []

  const requestAtOnce = async () => {
    const native = Array.from({ length: 20 }, () => worker.request('GET', '/v1/libraries', { token }))
    const forwarded = Array.from({ length: 5 }, () => worker.request('GET', '/v1/unknown', { token }))
    const responses = await Promise.all([...native, ...forwarded])
    statuses.push(...responses.map(({ status }) => status))
    return responses.map(({ headers }) => headers.get('x-service-core-runtime'))
  }

  // On a slow machine, the core serves the first requests, because they cannot read the routing state within a second.
  await expect
    .poll(requestAtOnce, { timeout: 30_000 })
    .toEqual([...Array(20).fill('native'), ...Array(5).fill('proxy')])
  expect(new Set(statuses)).toEqual(new Set([200]))
}, 60_000)
