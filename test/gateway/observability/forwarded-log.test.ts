import { expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'

const gateway = startTestGateway({
  control: 'fixed',
  core: 'recording',
  environment: { LOG_ACCOUNTS: 'plain' },
})

it('a forwarded request logs how long the core took and the size of the response body', async () => {
  const account = await gateway.signUp()
  const { headers } = await account.get('/v1/tracks')
  const requestId = headers.get('x-request-id') ?? ''
  await expect.poll(() => gateway.log.forRequest(requestId)).toHaveLength(1)
  const [line] = gateway.log.forRequest(requestId)
  expect(line?.fields).toMatchObject({
    runtime: 'proxy',
    coreMs: expect.any(Number),
    bytesOut: Number(headers.get('content-length')),
  })
  expect(Number(line?.fields.coreMs)).toBeLessThanOrEqual(Number(line?.fields.durationMs))
})

it('a request logs its account id if LOG_ACCOUNTS is plain', async () => {
  const account = await gateway.signUp()
  const { headers } = await account.get('/v1/libraries')
  const requestId = headers.get('x-request-id') ?? ''
  await expect.poll(() => gateway.log.forRequest(requestId)).toHaveLength(1)
  expect(gateway.log.forRequest(requestId)[0]?.fields.account).toBe(account.accountId)
})
