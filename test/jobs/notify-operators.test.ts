import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '#db/client/connection.ts'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { createNoticeWebhook } from '#jobs/adapters/notices-webhook.ts'
import { handleDeadLetter } from '#jobs/dead-letter.ts'
import { changeRouteState } from '#migration/control/change-route-state.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestJobs } from '#test/support/jobs.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'

const secretOf = (text: string) => `whsec_${Buffer.from(text).toString('base64')}`
const oldSecret = secretOf('old-secret-of-the-receiver')
const newSecret = secretOf('new-secret-of-the-receiver')

interface Received {
  readonly headers: Record<string, string>
  readonly body: string
}

const startReceiver = () => {
  const received: Received[] = []
  const state = { failures: 0, url: '', received }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ headers: request.headers as Record<string, string>, body })
    response.statusCode = state.failures-- > 0 ? 500 : 204
    response.end()
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  })
  afterAll(() => server.close())
  return state
}

describe('notices for operators', () => {
  const receiver = startReceiver()
  const gateway = startTestGateway({
    core: 'recording',
    storage: true,
    environment: { OPERATORS: testOperators },
  })
  const environment = () => ({ NOTIFY_URL: receiver.url, NOTIFY_SECRET: `${newSecret}\n${oldSecret}` })
  startTestJobs(gateway, { environment })
  startTestJobs(gateway, { environment })

  const change = (scope: string, kind: string) =>
    gateway.requestAdmin('POST', `/api/routes/${scope}/changes`, {
      token: operatorTokens.alice,
      body: { change: { kind }, reason: 'it shows the wrong tracks' },
    })
  const listAbout = (text: string) => receiver.received.filter(({ body }) => body.includes(text))
  const countWaiting = async () =>
    (
      await gateway.database.sql`
        select count(*)::int from pgboss.job where name = 'notify-operators' and state <> 'completed'`
    )[0]?.count

  it('are sent only once, signed with every secret, even if two workers run', async () => {
    expect((await change('tracks.list', 'kill')).status).toBe(200)
    await expect.poll(() => listAbout('tracks.list').length, { timeout: 10_000 }).toBe(1)
    const [{ headers, body } = { headers: {}, body: '' }] = listAbout('tracks.list')
    for (const secret of [oldSecret, newSecret]) new Webhook(secret).verify(body, headers)
    expect(() => new Webhook(secretOf('a-secret-of-someone')).verify(body, headers)).toThrow()
    expect(JSON.parse(body)).toEqual({
      type: 'route.killed',
      timestamp: expect.stringMatching(/^\d{4}-/),
      data: {
        summary: expect.stringMatching(
          /^tracks\.list was killed by alice \(.* to killed\): it shows the wrong/,
        ),
        scope: 'tracks.list',
        who: 'alice',
        reason: 'it shows the wrong tracks',
        before: expect.any(String),
        after: 'killed',
        epoch: expect.any(Number),
      },
    })
    expect((await change('tracks.list', 'resume')).status).toBe(200)
    await expect.poll(() => listAbout('route.resumed').length, { timeout: 10_000 }).toBe(1)
    await expect.poll(countWaiting).toBe(0)
    expect(listAbout('tracks.list')).toHaveLength(2)
  })

  it('are sent again with the same id after the receiver returns an error', async () => {
    receiver.failures = 1
    await change('libraries.list', 'kill')
    await expect.poll(() => listAbout('libraries.list').length, { timeout: 15_000 }).toBe(2)
    const ids = listAbout('libraries.list').map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(1)
    await expect.poll(countWaiting).toBe(0)
  })

  it('are not sent for a change that was rolled back, or for a hold', async () => {
    const database = openDatabase(gateway.database.url, { connections: 1, prepare: gateway.database.prepare })
    const requested = { scope: 'packs.list', who: 'alice', reason: 'a test' } as const
    const rolledBack = database.db.transaction(async (tx) => {
      await changeRouteState(tx, { ...requested, change: { kind: 'kill' } }, new Map())
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    await database.db.transaction((tx) =>
      changeRouteState(tx, { ...requested, change: { kind: 'hold' } }, new Map()),
    )
    const listTypes = async () => {
      const rows = await gateway.database.sql`
        select data->'notice'->>'type' as type from pgboss.job
        where name = 'notify-operators' and data->'notice'->'details'->>'scope' = 'packs.list'`
      return rows.map(({ type }) => type)
    }
    expect(await listTypes()).toEqual([])
    await database.db.transaction((tx) =>
      changeRouteState(tx, { ...requested, change: { kind: 'kill' } }, new Map()),
    )
    expect(await listTypes()).toEqual(['route.killed'])
    await expect.poll(() => listAbout('packs.list').length, { timeout: 10_000 }).toBe(1)
    await database.close()
  })

  it('report a job that failed permanently, unless the job was itself a notice', async () => {
    const database = openDatabase(gateway.database.url, { connections: 1, prepare: gateway.database.prepare })
    const ports = { db: createDatabasePort(database), log: gateway.log, clock: { now: () => new Date() } }
    const before = receiver.received.length
    const details = { queue: 'none' }
    const notice = { id: 'evt_1', type: 'route.killed', at: '', summary: '', details } as const
    await handleDeadLetter('1', { queue: 'notify-operators', notice }, ports)
    await handleDeadLetter('2', { queue: 'check-asset', assetId: 'gone' }, ports)
    await expect.poll(() => listAbout('dead_lettered').length, { timeout: 10_000 }).toBe(1)
    // If a worker crashes after it has marked the work as failed, another worker handles the dead letter again.
    await handleDeadLetter('2', { queue: 'check-asset', assetId: 'gone' }, ports)
    await expect.poll(countWaiting).toBe(0)
    expect(receiver.received.length).toBe(before + 1)
    await database.close()
    const [{ body } = { body: '' }] = listAbout('dead_lettered')
    expect(JSON.parse(body).data).toEqual({
      summary: 'A job in check-asset has failed permanently: The file could not be processed.',
      queue: 'check-asset',
      code: 'processing_failed',
    })
  })

  it('are sent to Slack as escaped text', async () => {
    const port = createNoticeWebhook({ url: receiver.url, secrets: [], format: 'slack' })
    const summary = 'tracks.list was killed by alice: <!channel> & more'
    const notice = { id: 'evt_slack', type: 'route.killed', at: '', summary, details: {} } as const
    await port.send(notice, AbortSignal.timeout(5000))
    expect(JSON.parse(receiver.received.at(-1)?.body ?? '')).toEqual({
      text: 'Crossfade: tracks.list was killed by alice: &lt;!channel&gt; &amp; more',
    })
  })
})
