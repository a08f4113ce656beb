import { expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestWorker } from '#test/support/worker.ts'

const gateway = startTestGateway({ control: 'fixed', core: 'recording' })
const worker = startTestWorker(gateway)

it('serves requests that arrive at once while the first of them load the native side', async () => {
  const { token } = await gateway.signUp()
  const native = Array.from({ length: 20 }, () => worker.request('GET', '/v1/libraries', { token }))
  const forwarded = Array.from({ length: 5 }, () => worker.request('GET', '/v1/unknown', { token }))
  const responses = await Promise.all([...native, ...forwarded])
  const runtimes = responses.map(({ headers }) => headers.get('x-service-core-runtime'))
  expect(runtimes).toEqual([...Array(20).fill('native'), ...Array(5).fill('proxy')])
  expect(responses.slice(0, 20).map(({ status }) => status)).toEqual(Array(20).fill(200))
})
