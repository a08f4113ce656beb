import { describe, expect, it } from 'vitest'
import { startTestGateway, type TestAnswer } from '#test/support/gateway.ts'
import { startTestWorker } from '#test/support/worker.ts'

const gateway = startTestGateway({ core: 'sandbox' })
const worker = startTestWorker(gateway)

const stampOf = ({ headers }: TestAnswer) =>
  ['runtime', 'native-route', 'fallback'].map((_, index) =>
    headers.get(
      ['x-service-core-runtime', 'x-service-native-route', 'x-service-proxy-fallback'][index] ?? '',
    ),
  )

describe('the gateway on Workers', () => {
  it('serves a native route, one request after the other', async () => {
    const { token } = await gateway.signUp()
    for (let turn = 0; turn < 3; turn++) {
      const answer = await worker.request('GET', '/v1/libraries', { token })
      expect(answer).toMatchObject({ status: 200, body: { records: [] } })
      expect(stampOf(answer)).toEqual(['native', 'libraries.list', '0'])
    }
  })
})
