import { expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { storeRouteState } from '#test/support/routing.ts'
import { startTestWorker } from '#test/support/worker.ts'

const accountCount = 300
const batchSize = 20

const gateway = startTestGateway({ core: 'recording' })
const worker = startTestWorker(gateway)

const readRuntime = async (request: TestGateway['request'], token: string) => {
  const { headers } = await request('GET', '/v1/libraries', { token })
  return headers.get('x-service-core-runtime')
}

it('a Worker selects the same side as Node for 300 accounts at a stored weight', {
  timeout: 60_000,
}, async () => {
  const weightBp = 5000
  const epoch = await storeRouteState(gateway.database, {
    scope: 'libraries.list',
    state: 'canary',
    weightBp,
  })
  const findInstances = () => gateway.database.sql`select epoch from gateway_instance`
  await expect.poll(findInstances).toEqual([{ epoch }])

  const onNode: (string | null)[] = []
  const onWorker: (string | null)[] = []
  for (let batch = 0; batch < accountCount / batchSize; batch += 1) {
    const accounts = await Promise.all(
      Array.from({ length: batchSize }, () => gateway.signUp({ plan: 'free' })),
    )
    const readAll = (request: TestGateway['request']) =>
      Promise.all(accounts.map(({ token }) => readRuntime(request, token)))
    onNode.push(...(await readAll(gateway.request)))
    onWorker.push(...(await readAll(worker.request)))
  }
  expect(onWorker).toEqual(onNode)
  const nativeShare = onNode.filter((runtime) => runtime === 'native').length / accountCount
  expect(nativeShare).toBeGreaterThan(0.35)
  expect(nativeShare).toBeLessThan(0.65)
})
