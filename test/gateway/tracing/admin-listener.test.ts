import { Hono } from 'hono/tiny'
import { describe, expect, it, onTestFinished } from 'vitest'
import { upsertInstance } from '#db/queries/routing/gateway-instances.ts'
import { startAdmin } from '#gateway/node/admin-listener.ts'
import type { PageApp } from '#gateway/pages/page-app.ts'
import { listLogCalls } from '#test/architecture/log-calls.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { createTraceparent } from '#test/support/otlp/traceparent.ts'
import { openRawClient } from '#test/support/raw-client.ts'
import { requestAt } from '#test/support/request-at.ts'
import { createConsoleClient } from '../../migration/console/browse.ts'

const served = 'admin request served'
type Headers = Record<string, string>

describe('the log lines of an admin request', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  const console = createConsoleClient(gateway)

  const send = (method: string, path: string, body: object, headers: Headers = {}) =>
    gateway.requestAdmin(method, path, { token: operatorTokens.alice, body, headers })
  const override = { accountId: 'acct_traced', scope: 'libraries.list', reason: 'a test' }
  const putOverride = (headers?: Headers) =>
    send('PUT', '/api/overrides', { ...override, side: 'core' }, headers)

  const throwingPages = () => {
    const pages: PageApp = new Hono()
    pages.get('/', () => {
      throw new Error('a bug')
    })
    return pages.onError((error) => {
      throw error
    })
  }
  const requestThrowingPage = async (headers: Headers) => {
    const admin = await startAdmin({
      pages: throwingPages(),
      log: gateway.log,
      host: '127.0.0.1',
      port: 0,
      portSetting: 'ADMIN_PORT',
    })
    onTestFinished(() => admin.close())
    return requestAt(admin.url ?? '', 'GET', '/', { headers })
  }

  const requests: Readonly<Record<string, (headers: Headers) => Promise<unknown>>> = {
    [served]: (headers) => gateway.requestAdmin('GET', '/metrics', { headers }),
    'admin request rejected': (headers) => gateway.requestAdmin('GET', '/api//routes', { headers }),
    'admin request failed': requestThrowingPage,
    'operator signed in': (headers) =>
      console.post('/console/sign-in', { token: operatorTokens.alice }, { headers }),
    'operator signed out': async (headers) =>
      console.post('/console/sign-out', {}, { cookie: await console.signIn(), headers }),
    'console sign-in rejected': (headers) =>
      console.post('/console/sign-in', { token: 'wrong' }, { headers }),
    'route state changed': (headers) =>
      send(
        'POST',
        '/api/routes/libraries.list/changes',
        { change: { kind: 'hold' }, reason: 'a test' },
        headers,
      ),
    'account override stored': putOverride,
    'account override removed': async (headers) => {
      await putOverride()
      return send('DELETE', '/api/overrides', override, headers)
    },
    'instance forgotten': async (headers) => {
      const { db, sql } = gateway.database
      await upsertInstance(db, { id: 'gone', build: 'b', keys: {}, epoch: 0 })
      await sql`update gateway_instance set beat_at = now() - interval '1 hour' where id = 'gone'`
      return send('DELETE', '/api/instances/gone', { reason: 'a test' }, headers)
    },
    'contract results stored': (headers) =>
      gateway.requestAdmin('POST', '/api/contract-results', {
        token: operatorTokens.ci,
        body: {
          finishedAt: '2026-11-20T10:00:00.000Z',
          results: [
            { label: 'tracks.list', evidenceKey: '0'.repeat(32), problems: 0, forbiddingDifferences: 0 },
          ],
        },
        headers,
      }),
  }

  it.each(Object.entries(requests))("have the client's trace ID: %s", async (message, request) => {
    const { traceparent, traceId } = createTraceparent()
    await request({ traceparent })
    const linesOfTrace = () => gateway.log.lines.filter(({ fields }) => fields.traceId === traceId)
    const expected = new Set(message === 'admin request rejected' ? [message] : [message, served])
    await expect.poll(() => new Set(linesOfTrace().map((line) => line.message))).toEqual(expected)
  })

  it('have a new trace ID if the request has none', async () => {
    const before = gateway.log.lines.length
    for (let sent = 0; sent < 2; sent += 1) await console.post('/console/sign-in', { token: 'wrong' })
    const lines = () =>
      gateway.log.lines
        .slice(before)
        .filter(({ message }) => [served, 'console sign-in rejected'].includes(message))
    await expect.poll(lines).toHaveLength(4)
    const traceIds = new Set(lines().map(({ fields }) => String(fields.traceId)))
    expect([...traceIds]).toEqual(Array(2).fill(expect.stringMatching(/^[0-9a-f]{32}$/)))
  })

  it("have the response's request ID even if the body cannot be parsed", async () => {
    const client = await openRawClient(Number(new URL(gateway.adminUrl).port))
    onTestFinished(() => void client.socket.destroy())
    const before = gateway.log.lines.length
    client.send(
      'POST /console/sign-in HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nno chunk\r\n',
    )
    const findLine = () => gateway.log.lines.slice(before).find(({ message }) => message === served)
    await expect.poll(findLine).toMatchObject({ fields: { method: 'POST', status: 400 } })
    const requestId = String(findLine()?.fields.requestId)
    await expect.poll(() => client.text().toLowerCase()).toContain(`x-request-id: ${requestId}`)
  })

  it('all have their trace ID tested above', () => {
    const messages = listLogCalls()
      .filter(({ file }) => /^gateway\/(?:operators|console|node\/admin-listener)/.test(file))
      .flatMap((call) => call.messages)
    expect(messages.filter((message) => !Object.keys(requests).includes(message ?? ''))).toEqual([])
  })
})
