import { expect, it } from 'vitest'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { readDocumentedFields } from '#test/support/documented-log.ts'
import { fillPathWith } from '#test/support/fill-path.ts'
import { startTestGateway } from '#test/support/gateway.ts'

const documented = readDocumentedFields()

const gateway = startTestGateway({ control: 'fixed', core: 'recording' })
const findLine = (requestId: string | null) =>
  gateway.log.forRequest(requestId ?? '').find(({ message }) => message === 'request')?.fields

it('docs/logs-and-metrics.md documents every field that a request logs, on any route', async () => {
  const account = await gateway.signUp()
  for (const label of labels) {
    const { method } = rowOf(label)
    const path = fillPathWith(label, () => 'none')
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
    for (const token of [account.token, 'invalid']) await gateway.request(method, path, { token, ...body })
  }
  await gateway.stopCore()
  await gateway.request('GET', '/v1/tracks', { token: account.token })
  const fields = new Set(gateway.log.lines.flatMap((line) => Object.keys(line.fields)))
  expect(fields).toContain('durationMs')
  expect([...fields].filter((field) => !documented.includes(field))).toEqual([])
}, 60_000)

it('a request logs its byte counts and a hash of the account id, but not the id itself', async () => {
  const account = await gateway.signUp()
  const created = await account.post('/v1/libraries', { name: 'Demos' })
  const body = JSON.stringify({ name: 'Demos' })
  const lineOf = async (id: string | null) => {
    await expect.poll(() => findLine(id)).toBeDefined()
    return findLine(id)
  }
  const line = await lineOf(created.headers.get('x-request-id'))
  expect(line).toMatchObject({
    bytesIn: body.length,
    bytesOut: Number(created.headers.get('content-length')),
    account: expect.stringMatching(/^[\w-]{16}$/),
  })
  expect(line?.account).not.toContain(account.accountId)
  const again = await account.get('/v1/libraries')
  expect(await lineOf(again.headers.get('x-request-id'))).toMatchObject({ account: line?.account })
  const head = await gateway.request('HEAD', '/v1/libraries', { token: account.token })
  expect(await lineOf(head.headers.get('x-request-id'))).toMatchObject({ bytesOut: 0 })
})
