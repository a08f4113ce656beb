import { describe, expect, it } from 'vitest'
import { ask } from '#contracts/catalog-analysis.ts'
import { defineStream } from '#native-routes/define-stream.ts'
import { handlers } from '#native-routes/index.ts'
import { analysisPath, askForEvents } from '#test/support/ask.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createIdleGuard } from '#test/support/idle-guard.ts'

const threadId = 'thread'
const finding = {
  kind: 'missing_isrc',
  severity: 'blocker',
  subject: { type: 'track', id: 'track', title: 'Night Drive' },
  message: 'The track has no ISRC.',
  action: 'Request one.',
} as const
const analysis = {
  threadId,
  messageId: 'message',
  answer: 'Text',
  findings: [],
  citations: [],
  model: null,
  usage: { inputTokens: 0, outputTokens: 0, toolCalls: 0 },
  createdAt: '2026-01-01T00:00:00.000Z',
}

const withUnlisted = <T extends object>(data: T): T => ({ ...data, ownerId: 'acct_secret' })

const asks: Readonly<Record<string, Parameters<typeof defineStream<'catalog-analysis.ask', typeof ask>>[1]>> =
  {
    unlisted: async () => ({
      opening: { threadId },
      events: (async function* () {
        yield { event: 'delta' as const, data: withUnlisted({ text: 'Text' }) }
        yield { event: 'finding' as const, data: withUnlisted(finding) }
        yield { event: 'done' as const, data: withUnlisted(analysis) }
      })(),
    }),
    mismatch: async () => ({
      opening: { threadId },
      events: (async function* () {
        yield { event: 'delta' as const, data: { text: 'Text' } }
        yield { event: 'done' as const, data: { ...analysis, createdAt: 'a secret' } }
      })(),
    }),
    endless: async () => ({
      opening: { threadId },
      events: (async function* () {
        yield { event: 'delta' as const, data: { text: 'Text' } }
        await new Promise(() => {})
      })(),
    }),
    unopened: () => new Promise(() => {}),
  }

/** Each request's result, on which automatic stops are based. */
const recorded: { readonly failed: boolean; readonly durationMs: number }[] = []

const gateway = startTestGateway({
  nativeTimeoutMs: 200,
  guard: createIdleGuard({
    settled: (settled) =>
      settled.side === 'native' &&
      void recorded.push({
        failed: settled.result === 'failed',
        durationMs: settled.durationMs ?? Number.NaN,
      }),
  }),
  environment: { AI_TIMEOUT_S: '1' },
  handlers: {
    ...handlers,
    'catalog-analysis.ask': defineStream(ask, (input, ports) => {
      const handler = asks[input.body.message]
      if (!handler) throw new Error(`no handler for ${input.body.message}`)
      return handler(input, ports)
    }),
  },
})

const unavailable = errorBody('catalog_analysis_database_unavailable')

describe('a stream', () => {
  it('contains only the fields of its schemas', async () => {
    const account = await gateway.signUp()
    const { response, events } = await askForEvents(gateway, account, { message: 'unlisted' })
    expect(response.headers.get('x-service-ai-thread-id')).toBe(threadId)
    expect(events).toEqual([
      { event: 'delta', data: { text: 'Text' } },
      { event: 'finding', data: finding },
      { event: 'done', data: analysis },
    ])
    const json = await account.post(analysisPath, { message: 'unlisted' })
    expect([json.status, json.body]).toEqual([200, analysis])
  })

  it('ends with internal_error instead of an event that its schema does not allow', async () => {
    const account = await gateway.signUp()
    const { events } = await askForEvents(gateway, account, { message: 'mismatch' })
    expect(events.slice(1)).toEqual([{ event: 'error', data: errorBody('internal_error') }])
    const json = await account.post(analysisPath, { message: 'mismatch' })
    expect([json.status, json.body]).toEqual([500, errorBody('internal_error')])
    expect(JSON.stringify(gateway.log.lines)).not.toContain('a secret')
  })

  it('ends at its own deadline, which is later than that of other routes', async () => {
    const account = await gateway.signUp()
    const startedAt = performance.now()
    const { events } = await askForEvents(gateway, account, { message: 'endless' })
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1200)
    expect(events.slice(1)).toEqual([{ event: 'error', data: unavailable }])
    for (const message of ['endless', 'unopened']) {
      const { status, body } = await account.post(analysisPath, { message })
      expect([message, status, body]).toEqual([message, 503, unavailable])
    }
  })

  it.each([
    ['is selected', 'text/event-stream'],
    ['is selected', 'application/json, Text/Event-Stream;q=0.5'],
    ['is not selected', 'text/event-stream;q=0'],
    ['is not selected', '*/*'],
    ['is not selected', 'application/json'],
  ])('%s for the header Accept: %s', async (outcome, accept) => {
    const account = await gateway.signUp()
    const { headers } = await account.post(analysisPath, { message: 'unlisted' }, { accept })
    expect(headers.get('content-type')?.startsWith('text/event-stream')).toBe(outcome === 'is selected')
  })

  it("puts the error from its last event in the request's log line", async () => {
    const account = await gateway.signUp()
    const requestId = crypto.randomUUID()
    await account.post(
      analysisPath,
      { message: 'mismatch' },
      { accept: 'text/event-stream', 'x-request-id': requestId },
    )
    await expect
      .poll(() => gateway.log.forRequest(requestId).find(({ message }) => message === 'request')?.fields)
      .toMatchObject({ status: 200, error: 'internal_error', route: 'catalog-analysis.ask' })
  })

  it.each([
    ['unlisted', 'text/event-stream', false],
    ['unlisted', 'application/json', false],
    ['mismatch', 'text/event-stream', true],
    ['mismatch', 'application/json', true],
  ])('is recorded for the automatic stop ("%s", %s, failed: %s)', async (message, accept, failed) => {
    const account = await gateway.signUp()
    recorded.length = 0
    await account.post(analysisPath, { message }, { accept })
    await expect.poll(() => recorded).toEqual([{ failed, durationMs: expect.any(Number) }])
  })
})
