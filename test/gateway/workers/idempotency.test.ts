import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { sendRaw } from '#test/support/raw-client.ts'
import { type Reply, replyOk } from '#test/support/raw-core.ts'
import { startTestWorker } from '#test/support/worker.ts'
import { head } from '../../http/wire.ts'

const gateway = startTestGateway({ control: 'fixed', core: 'recording', billing: true })
const worker = startTestWorker(gateway)
const killed = startTestWorker(gateway, { GATEWAY_KILL: 'libraries.create', BODY_LIMIT_BYTES: '2000' })

describe('idempotency keys on Workers', () => {
  const isReplayed = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed') === 'true'

  it('replay responses that Node has stored, and vice versa', async () => {
    const { token } = await gateway.signUp()
    for (const [first, second] of [
      [gateway.request, worker.request],
      [worker.request, gateway.request],
    ] as const) {
      const request = {
        token,
        body: { name: crypto.randomUUID() },
        headers: { 'idempotency-key': crypto.randomUUID() },
      }
      const stored = await first('POST', '/v1/libraries', request)
      const replayed = await second('POST', '/v1/libraries', request)
      expect([stored.status, isReplayed(stored)]).toEqual([201, false])
      expect([replayed.status, isReplayed(replayed), replayed.body]).toEqual([201, true, stored.body])
      const other = await second('POST', '/v1/libraries', { ...request, body: { name: 'B' } })
      expect([other.status, other.body]).toEqual([422, errorBody('idempotency_key_reused')])
    }
  })

  it('are looked up and recorded before a write is forwarded', async () => {
    const { token } = await gateway.signUp()
    const request = { token, body: { name: 'A' }, headers: { 'idempotency-key': crypto.randomUUID() } }
    const forwarded = await killed.request('POST', '/v1/libraries', request)
    expect([forwarded.status, forwarded.headers.get('x-service-core-runtime')]).toEqual([200, 'proxy'])
    expect(String(await gateway.core.requests.at(-1)?.body)).toBe('{"name":"A"}')
    const retried = await worker.request('POST', '/v1/libraries', request)
    expect([retried.status, retried.headers.get('x-service-core-runtime')]).toEqual([200, 'proxy'])
    const other = { ...request, headers: { 'idempotency-key': crypto.randomUUID() } }
    const stored = await worker.request('POST', '/v1/libraries', other)
    const replayed = await killed.request('POST', '/v1/libraries', other)
    expect([replayed.status, isReplayed(replayed), replayed.body]).toEqual([201, true, stored.body])
  })

  it.each([
    ['looked up if the body fits', 10, 'true'],
    ['not looked up if it is too long, which the core gets whole', 100_000, undefined],
  ])('of a body of unknown length are %s', async (_, length, replayed) => {
    const { token } = await gateway.signUp()
    const key = crypto.randomUUID()
    const body = JSON.stringify({ name: 'x'.repeat(length) })
    const headers = { 'idempotency-key': key }
    if (replayed) await worker.request('POST', '/v1/libraries', { token, body, headers })
    const framing = [
      'Transfer-Encoding: chunked',
      `Authorization: Bearer ${token}`,
      `Idempotency-Key: ${key}`,
    ]
    const chunks = [body.slice(0, 9), body.slice(9)].map(
      (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
    )
    const sent = `${head('POST /v1/libraries', ...framing)}${chunks.join('')}0\r\n\r\n`
    // Once the core has responded, the runtime sends no more of the body.
    const replyAfterBody: Reply = (socket, request) => void request.body.then(() => replyOk(socket, request))
    if (!replayed) gateway.core.nextReplies.push(replyAfterBody)
    const response = await sendRaw(Number(new URL(killed.origin()).port), sent)
    expect([response.status, response.header('idempotent-replayed')]).toEqual([
      replayed ? 201 : 200,
      replayed,
    ])
    if (!replayed) expect(String(await gateway.core.requests.at(-1)?.body)).toBe(body)
  })

  it("are used to derive the billing provider's keys", async () => {
    const { token, accountId } = await gateway.signUp({ plan: 'free' })
    const body = { planId: 'pro', returnPath: '/plans' }
    const request = { token, body, headers: { 'idempotency-key': crypto.randomUUID() } }
    const first = await worker.request('POST', '/v1/billing/checkout', request)
    await gateway.database.sql`update idempotency_keys set response = null where checkpoint is not null`
    const second = await worker.request('POST', '/v1/billing/checkout', request)
    expect([second.status, isReplayed(second), second.body]).toEqual([201, false, first.body])
    const sessions = Object.values(gateway.billing.store.sessions)
    expect(sessions.filter(({ metadata }) => metadata.account_id === accountId)).toHaveLength(1)
  })
})
