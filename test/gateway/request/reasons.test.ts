import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { ApiError } from '#contracts/errors.ts'
import { create, list, sharedWithMe } from '#contracts/libraries.ts'
import type { Label } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import type { FallbackReason, Reason } from '#gateway/request/context.ts'
import { defineRoute, NotPortedError } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { fillPathWith } from '#test/support/fill-path.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { sendRaw } from '#test/support/raw-client.ts'

const pathOf = (label: Label) => fillPathWith(label, () => 'x')

const findRequestLine = async ({ log }: TestGateway, requestId: string) => {
  const find = () => log.forRequest(requestId).find(({ message }) => message === 'request')
  await expect.poll(find).toBeDefined()
  return find()?.fields
}

const readCounts = async (gateway: TestGateway) => {
  const { body } = await gateway.requestAdmin('GET', '/metrics')
  const lines: string[] = body.split('\n')
  return lines.filter((line) => line.startsWith('crossfade_request_duration_seconds_count'))
}

describe('the reason for a fallback', () => {
  let onRead: () => Promise<never>
  const gateway = startTestGateway({
    core: 'recording',
    throughRelay: true,
    nativeTimeoutMs: 2700,
    handlers: {
      ...handlers,
      'libraries.shared-with-me': defineRoute(sharedWithMe, () => onRead()),
      'libraries.create': defineRoute(create, () => Promise.reject(new NotPortedError())),
      'libraries.list': defineRoute(list, () => Promise.reject(new NotPortedError())),
    },
  })

  const requestRead = async (behaviour: () => Promise<never>, requestId: string) => {
    onRead = behaviour
    const { token } = await gateway.signUp()
    return gateway.request('GET', '/v1/libraries/shared-with-me', {
      token,
      headers: { 'x-request-id': requestId },
    })
  }
  const requestWithoutDatabase = async (requestId: string) => {
    const { token } = await gateway.signUp()
    const headers = { 'x-request-id': requestId }
    gateway.relay.setUnavailable(true)
    try {
      return await gateway.request('GET', '/v1/libraries/x', { token, headers })
    } finally {
      gateway.relay.setUnavailable(false)
    }
  }
  const requestUntilBreakerOpens = async (requestId: string) => {
    const { token } = await gateway.signUp()
    for (let round = 0; round < 6; round += 1) await gateway.request('GET', '/v1/libraries', { token })
    return gateway.request('GET', '/v1/libraries', { token, headers: { 'x-request-id': requestId } })
  }

  const retryWithKey = async (requestId: string) => {
    const { post } = await gateway.signUp()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    await post('/v1/libraries', { name: 'A' }, headers)
    return post('/v1/libraries', { name: 'A' }, { ...headers, 'x-request-id': requestId })
  }

  type Request = (requestId: string) => ReturnType<TestGateway['request']>
  // If a reason has no case here, this does not compile.
  const requests: Readonly<Record<FallbackReason, Request>> = {
    database: requestWithoutDatabase,
    authentication: (id) => requestRead(() => Promise.reject(new ApiError('authentication_unavailable')), id),
    timeout: (id) => requestRead(() => new Promise(() => undefined), id),
    not_ported: (id) => requestRead(() => Promise.reject(new NotPortedError()), id),
    bug: (id) => requestRead(() => Promise.reject(new TypeError('fault')), id),
    breaker: requestUntilBreakerOpens,
    earlier_attempt: retryWithKey,
  }

  it.each(Object.entries(requests))('%s is in the log line and in the metric', async (expected, request) => {
    const requestId = crypto.randomUUID()
    const { status, headers } = await request(requestId)
    expect([status, headers.get('x-service-proxy-fallback')]).toEqual([200, '1'])
    const reason: Reason = expected === 'breaker' ? 'breaker' : 'static'
    const line = await findRequestLine(gateway, requestId)
    expect(line).toMatchObject({ runtime: 'proxy', fallback: true, reason, fallbackReason: expected })
    const labels = `runtime="proxy",fallback="1",fallbackReason="${expected}",reason="${reason}",status="200"`
    await expect.poll(() => readCounts(gateway)).toContainEqual(expect.stringContaining(labels))
  })

  it('is documented for operators', async () => {
    const page = await readFile(new URL('../../../docs/logs-and-metrics.md', import.meta.url), 'utf8')
    const reasons: Readonly<Record<Reason, true>> = {
      static: true,
      split: true,
      targeting_match: true,
      disabled: true,
      stale: true,
      breaker: true,
    }
    for (const value of [...Object.keys(requests), ...Object.keys(reasons)])
      expect(page).toContain(`\n| \`${value}\` | `)
  })

  it("is absent if the client's body caused the failure", async () => {
    const account = await gateway.signUp()
    const requestId = crypto.randomUUID()
    const { headers } = await account.post('/v1/libraries', 'x'.repeat(2_000_000), {
      'x-request-id': requestId,
    })
    expect(headers.get('x-service-proxy-fallback')).toBe('0')
    expect((await findRequestLine(gateway, requestId))?.fallbackReason).toBeUndefined()
  })

  it('is a label of all metric series that count fallbacks, and of no others', async () => {
    const counts = await readCounts(gateway)
    expect(counts.length).toBeGreaterThan(1)
    for (const line of counts) {
      expect(line).toMatch(/reason="(?:static|disabled|breaker)"/)
      expect([line, line.includes('fallbackReason=')]).toEqual([line, line.includes('fallback="1"')])
    }
  })
})

describe('the reason for a request that did not fall back', () => {
  const expectReason = async (gateway: TestGateway, label: Label, reason: Reason) => {
    const requestId = crypto.randomUUID()
    const { headers } = await gateway.request(rowOf(label).method, pathOf(label), {
      headers: { 'x-request-id': requestId },
    })
    expect(headers.get('x-service-proxy-fallback')).toBe('0')
    const line = await findRequestLine(gateway, requestId)
    expect(line).toMatchObject({ route: label, reason })
    expect(line?.fallbackReason).toBeUndefined()
    await expect
      .poll(() => readCounts(gateway))
      .toContainEqual(
        expect.stringMatching(`route="${label}",.*fallback="0",reason="${reason}",status="\\d+"}`),
      )
  }

  describe('when nothing is killed', () => {
    const gateway = startTestGateway({ core: 'recording' })

    it.each(labels)('is "static" for %s', (label) => expectReason(gateway, label, 'static'))

    it.each([
      '/v1/unheard-of',
      '/v1/webhooks/unknown',
      '/v1/tracks/x/nonsense',
      '/openapi.json',
      '/favicon.ico',
    ])('is "static" for %s, which has no row', async (path) => {
      const requestId = crypto.randomUUID()
      await gateway.request('GET', path, { headers: { 'x-request-id': requestId } })
      expect(await findRequestLine(gateway, requestId)).toMatchObject({
        route: 'unmatched',
        reason: 'static',
      })
    })

    it('is "static" for a malformed request', async () => {
      await sendRaw(Number(new URL(gateway.url).port), 'GET /v1/\u0000 HTTP/1.1\r\nHost: x\r\n\r\n')
      const rejected = () => gateway.log.lines.filter(({ message }) => message === 'request rejected')
      await expect.poll(rejected).toMatchObject([{ fields: { route: 'unmatched', reason: 'static' } }])
    })
  })

  describe('when every route is killed', () => {
    const environment = { GATEWAY_KILL: labels.join() }
    const gateway = startTestGateway({ core: 'recording', environment })
    const isolated = startTestGateway({ environment })

    it.each(labels)('is "disabled" for %s', async (label) => {
      await expectReason(gateway, label, 'disabled')
      await expectReason(isolated, label, 'disabled')
    })
  })
})
