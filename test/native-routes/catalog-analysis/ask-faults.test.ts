import { describe, expect, it } from 'vitest'
import type { Fault } from '#dev/sandbox/model/faults.ts'
import { analysisPath, askForEvents, openEvents, readStored } from '#test/support/ask.ts'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { readEvents } from '#test/support/read-events.ts'

const question = { message: 'What is missing before a release?' }
const threadHeader = 'x-service-ai-thread-id'

describe('an answer', () => {
  const gateway = startTestGateway({ model: true, environment: { AI_TIMEOUT_S: '1' } })

  it.each<[Fault, string]>([
    ['slow', 'timeout'],
    ['stalled', 'timeout'],
    ['endless', 'timeout|too_long'],
    ['rate_limited', 'status'],
    ['error', 'status'],
    ['garbled', 'garbled'],
    ['no_stream', 'garbled'],
    ['cut_off', 'garbled'],
  ])('is based on the findings alone if its model has the fault %s', async (fault, reason) => {
    const account = await gateway.signUp()
    await insertTrackOf(gateway.database.sql, account.accountId, 'Harbour Lights')
    const linesBefore = gateway.log.lines.length
    gateway.model.setFault(fault)
    const { status, headers, body } = await account.post(analysisPath, question)
    gateway.model.setFault(null)
    expect([status, body.model]).toEqual([200, null])
    expect(headers.get(threadHeader)).toBe(body.threadId)
    expect(body.answer).toContain('Harbour Lights')
    expect(body.answer).not.toContain('and so on')
    expect(body.findings.length).toBeGreaterThan(0)
    const failures = gateway.log.lines
      .slice(linesBefore)
      .filter(({ message }) => message === 'model failed, using findings alone')
    expect(failures.map(({ fields }) => fields)).toEqual([
      expect.objectContaining({
        reason: expect.stringMatching(`^(?:${reason})$`),
        failure: expect.objectContaining({
          name: 'ModelError',
          reason: expect.stringMatching(/^the model /),
        }),
      }),
    ])
    const stored = await readStored(gateway, account)
    expect(stored.messages.map(({ text }) => text)).toEqual([question.message, body.answer])
    expect(stored.tokens).toBe(body.usage.inputTokens + body.usage.outputTokens)
  })

  it('leaves no tokens reserved if its client has left before it begins', async () => {
    const account = await gateway.signUp()
    const { sql } = gateway.database
    const leaving = new AbortController()
    await sql.begin(async (tx) => {
      // The reservation waits for this row.
      await tx`
        insert into analysis_usage (account_id, day, questions)
        values (${account.accountId}, (now() at time zone 'utc')::date, 0)`
      const opened = openEvents(gateway, account, question, leaving.signal)
      await expect
        .poll(() => sql`select from pg_locks where not granted and locktype = 'transactionid'`)
        .toHaveLength(1)
      leaving.abort()
      await expect(opened).rejects.toThrow()
      await new Promise((resolve) => setTimeout(resolve, 200))
    })
    await expect
      .poll(() => readStored(gateway, account), { timeout: 10_000 })
      .toMatchObject({ questions: 1, tokens: 0, threads: [] })
  })

  it('is replaced in the last event if its model fails after sending text', async () => {
    const account = await gateway.signUp()
    await insertTrackOf(gateway.database.sql, account.accountId, 'Harbour Lights')
    gateway.model.setFault('stalled')
    const { events } = await askForEvents(gateway, account, question)
    gateway.model.setFault(null)
    const deltas = events.filter(({ event }) => event === 'delta').map(({ data }) => data.text)
    expect(deltas.join('')).not.toContain('Harbour Lights')
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { model: null } })
    expect(events.at(-1)?.data.answer).toContain('Harbour Lights')
  })

  it('sends no finding twice if its model fails after calling tools', async () => {
    const account = await gateway.signUp()
    await insertTrackOf(gateway.database.sql, account.accountId, 'Harbour Lights')
    gateway.model.setRespond(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: ' ' }
        : { calls: [{ name: 'missing_identifiers', input: '{}' }] },
    )
    const { events } = await askForEvents(gateway, account, question)
    const done = events.at(-1)
    expect(done).toMatchObject({ event: 'done', data: { model: null, usage: { toolCalls: 1 } } })
    const sent = events.filter(({ event }) => event === 'finding').map(({ data }) => data)
    expect(sent).toHaveLength(done?.data.findings.length)
    expect(sent).toEqual(expect.arrayContaining(done?.data.findings))
  })

  it.each([
    ['writes nothing', 'empty', () => ({ text: '  ' })],
    ['writes without end', 'too_long', () => ({ text: 'and so on '.repeat(3000) })],
    ['only calls tools', 'tool_calls', () => ({ calls: [{ name: 'search_tracks', input: '{"text":"x"}' }] })],
  ])('is based on the findings alone if its model %s', async (_, reason, respond) => {
    const account = await gateway.signUp()
    gateway.model.setRespond(respond)
    const { body } = await account.post(analysisPath, question)
    expect(body.model).toBeNull()
    expect(gateway.log.lines.at(-2)?.fields.reason ?? gateway.log.lines.at(-1)?.fields.reason).toBe(reason)
  })
})

describe('an answer without a reachable model', () => {
  const gateway = startTestGateway({
    environment: { AI_BASE_URL: 'http://127.0.0.1:10/v1', AI_MODEL: 'any' },
  })

  it('is based on the findings alone', async () => {
    const account = await gateway.signUp()
    await insertTrackOf(gateway.database.sql, account.accountId, 'Harbour Lights')
    const { status, body } = await account.post(analysisPath, question)
    expect([status, body.model]).toEqual([200, null])
    expect(body.answer).toContain('Harbour Lights')
    const failures = gateway.log.lines.filter(({ message }) => message.startsWith('model failed'))
    expect(failures.map(({ fields }) => fields.reason)).toEqual(['unreachable'])
    expect((await readStored(gateway, account)).messages).toHaveLength(2)
  })
})

// The default of AI_MAX_TOKENS.
const reservedTokens = 50_000

describe('a client that disconnects', () => {
  const gateway = startTestGateway({ model: true })

  it.each([
    ['from an event stream', true],
    ['from a JSON response', false],
  ])('%s cancels the work, and neither thread nor messages are stored', async (_, asEvents) => {
    const account = await gateway.signUp()
    gateway.model.setFault('endless')
    const abortedBefore = gateway.model.countAborted()
    const controller = new AbortController()
    if (asEvents) {
      const response = await openEvents(gateway, account, question, controller.signal)
      for await (const { event } of readEvents(response)) if (event === 'delta') break
    } else {
      const requested = gateway.model.requests.length
      const asked = fetch(gateway.url + analysisPath, {
        method: 'POST',
        headers: { authorization: `Bearer ${account.token}` },
        body: JSON.stringify(question),
        signal: controller.signal,
      }).catch(() => undefined)
      await expect.poll(() => gateway.model.requests.length).toBe(requested + 1)
      controller.abort()
      await asked
    }
    controller.abort()
    await expect.poll(() => gateway.model.countAborted(), { timeout: 5000 }).toBe(abortedBefore + 1)
    gateway.model.setFault(null)
    await expect
      .poll(async () => (await readStored(gateway, account)).tokens, { timeout: 5000 })
      .toBeLessThan(reservedTokens)
    // The question and the tokens that the model used still count, or a client could use the model without limit.
    const stored = await readStored(gateway, account)
    expect(stored).toMatchObject({ threads: [], messages: [], questions: 1 })
    expect(stored.tokens).toBeGreaterThan(0)
  })
})

describe('a question that misses its deadline', () => {
  const gateway = startTestGateway({
    model: true,
    nativeTimeoutMs: 200,
    environment: { AI_TIMEOUT_S: '1' },
  })

  it.each([
    ['JSON', 'application/json'],
    ['events', 'text/event-stream'],
  ])('still counts, with the tokens it used rather than those it reserved: %s', async (_, accept) => {
    const account = await gateway.signUp()
    gateway.model.setFault('slow')
    await gateway.database.sql.begin(async (tx) => {
      // The findings read this table, so they wait until the deadline has passed.
      await tx`lock table split_sheets`
      const { body } = await account.post(analysisPath, question, { accept })
      expect(JSON.stringify(body)).toContain('catalog_analysis_database_unavailable')
    })
    gateway.model.setFault(null)
    await expect
      .poll(async () => (await readStored(gateway, account)).tokens, { timeout: 10_000 })
      .toBeLessThan(reservedTokens)
    const stored = await readStored(gateway, account)
    expect(stored).toMatchObject({ threads: [], messages: [], questions: 1 })
    expect(stored.tokens).toBeGreaterThan(0)
    expect(gateway.log.lines.map(({ message }) => message)).not.toContain(
      'failed to record the usage of a failed question',
    )
  })
})

describe('a question during a database outage', () => {
  const gateway = startTestGateway({ throughRelay: true, model: true })

  const reconnect = async (account: TestAccount) => {
    gateway.relay.setUnavailable(false)
    const readThreads = async () => (await account.get(`${analysisPath}/threads`)).status
    await expect.poll(readThreads, { timeout: 10_000 }).toBe(200)
  }

  it('gets a 503 with its thread id or, if the stream has begun, an error as the last event', async () => {
    const account = await gateway.signUp()
    const { threadId } = (await account.post(analysisPath, question)).body
    gateway.model.setRespond(() => {
      gateway.relay.setUnavailable(true)
      return { text: 'Nothing is missing.' }
    })
    const json = await account.post(analysisPath, { ...question, threadId })
    expect([json.status, json.body]).toEqual([503, errorBody('catalog_analysis_database_unavailable')])
    expect(json.headers.get(threadHeader)).toBe(threadId)
    await reconnect(account)
    const { response, events } = await askForEvents(gateway, account, { ...question, threadId })
    expect([response.status, response.headers.get(threadHeader)]).toEqual([200, threadId])
    expect(events.at(-1)).toEqual({
      event: 'error',
      data: errorBody('catalog_analysis_database_unavailable'),
    })
    await reconnect(account)
    expect((await readStored(gateway, account)).messages).toHaveLength(2)
  })
})
