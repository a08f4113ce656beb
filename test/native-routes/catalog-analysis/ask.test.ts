import { describe, expect, it } from 'vitest'
import { Analysis } from '#contracts/catalog-analysis.ts'
import { analysisPath, askForEvents, readStored } from '#test/support/ask.ts'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

const question = { message: 'What is missing before a release?' }
const threadHeader = 'x-service-ai-thread-id'

describe('catalog-analysis.ask with a model', () => {
  const gateway = startTestGateway({ model: true })

  it('returns what the model wrote, with the findings, citations and usage', async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId, 'Harbour Lights')
    const { status, headers, body } = await account.post(analysisPath, question)
    expect(status).toBe(200)
    expect(Analysis.strict().parse(body)).toEqual(body)
    expect(headers.get(threadHeader)).toBe(body.threadId)
    expect(body.model).toBe('configured')
    expect(body.answer).toMatch(/Harbour Lights: .* \[1\]/)
    expect(body.citations).toEqual([{ type: 'track', id: trackId, title: 'Harbour Lights' }])
    expect(body.findings.map(({ kind }: { kind: string }) => kind)).toContain('missing_isrc')
    expect(body.usage).toEqual({
      inputTokens: expect.any(Number),
      outputTokens: expect.any(Number),
      toolCalls: 1,
    })
    expect(body.usage.inputTokens).toBeGreaterThan(0)
  })

  it('sends the same content as events: the text, the findings and then the whole response', async () => {
    const account = await gateway.signUp()
    await insertTrackOf(gateway.database.sql, account.accountId, 'Harbour Lights')
    const { response, events } = await askForEvents(gateway, account, question)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const done = events.at(-1)
    expect(done?.event).toBe('done')
    expect(response.headers.get(threadHeader)).toBe(done?.data.threadId)
    const select = (name: string) => events.filter(({ event }) => event === name).map(({ data }) => data)
    expect(select('delta').length).toBeGreaterThan(1)
    expect(
      select('delta')
        .map(({ text }) => text)
        .join('')
        .trim(),
    ).toBe(done?.data.answer)
    expect(select('finding')).toEqual(done?.data.findings)
    expect(events).toHaveLength(select('delta').length + select('finding').length + 1)
  })

  it('continues a thread, and the model reads its earlier messages', async () => {
    const account = await gateway.signUp()
    const first = await account.post(analysisPath, question)
    const { threadId } = first.body
    const { body, headers } = await account.post(analysisPath, { message: 'And plays?', threadId })
    expect(body.threadId).toBe(threadId)
    expect(headers.get(threadHeader)).toBe(threadId)
    const sent = gateway.model.requests.at(-1)?.messages.filter(({ role }) => role !== 'system')
    expect(sent?.slice(0, 3)).toEqual([
      { role: 'user', content: question.message },
      { role: 'assistant', content: first.body.answer },
      { role: 'user', content: 'And plays?' },
    ])
    const { threads, messages, questions, tokens } = await readStored(gateway, account)
    expect(threads).toEqual([{ id: threadId, message_count: 4 }])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(questions).toBe(2)
    const used = [first.body.usage, body.usage]
    expect(tokens).toBe(used.reduce((sum, usage) => sum + usage.inputTokens + usage.outputTokens, 0))
  })

  it('drops citations of objects that no tool returned, and logs only their number', async () => {
    const account = await gateway.signUp()
    const foreignId = await insertTrackOf(gateway.database.sql, 'acct_of_others', 'Secret Title')
    gateway.model.setRespond(() => ({ text: `Look at [track:${foreignId}] and [pack:nothing] here.` }))
    const { body } = await account.post(analysisPath, question)
    expect(body.answer).toBe('Look at  and  here.')
    expect(body.citations).toEqual([])
    expect(gateway.log.lines.filter(({ message }) => message === 'model citations dropped')).toMatchObject([
      { level: 'warn', fields: { count: 2 } },
    ])
  })

  it('numbers a subject once, even if several tool calls return it', async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId, 'Harbour Lights')
    const calls = [{ name: 'track_readiness', input: JSON.stringify({ trackId }) }]
    gateway.model.setRespond(({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool').length
      if (results === 0) return { calls }
      return results === 1
        ? { text: `Open: [track:${trackId}]`, calls }
        : { text: `Again: [track:${trackId}]` }
    })
    const { body } = await account.post(analysisPath, question)
    expect(body.answer).toBe('Open: [1]\n\nAgain: [1]')
    expect(body.citations).toEqual([{ type: 'track', id: trackId, title: 'Harbour Lights' }])
  })

  it("makes the model's links, images, HTML and addresses harmless", async () => {
    const account = await gateway.signUp()
    gateway.model.setRespond(() => ({
      text: '![x](https://evil.example/?q=1) <img src=x> [here](javascript:alert(1)) www.evil.example evil.example/a \u0000end',
    }))
    const { body } = await account.post(analysisPath, question)
    expect(body.answer).not.toMatch(/https?:|www|evil\.example|<|\[/)
    expect(body.answer.endsWith(' end')).toBe(true)
  })

  it('allows the model eight tool calls, and then asks it for its answer', async () => {
    const account = await gateway.signUp()
    const call = { name: 'search_tracks', input: '{"text":"x"}' }
    gateway.model.setRespond(({ tools }) => (tools ? { calls: [call, call, call] } : { text: 'Enough.' }))
    const { body } = await account.post(analysisPath, question)
    expect(body).toMatchObject({ model: 'configured', answer: 'Enough.', usage: { toolCalls: 8 } })
  })

  it.each([
    ['an unknown tool', { name: 'delete_everything', input: '{}' }, 'There is no tool with this name.'],
    ['input that is not JSON', { name: 'search_tracks', input: '{"text"' }, 'Invalid input'],
    [
      'an unknown field',
      { name: 'search_tracks', input: '{"text":"x","accountId":"acct_alice"}' },
      'Invalid input',
    ],
  ])('returns an error to a model that sends %s', async (_, call, error) => {
    const account = await gateway.signUp()
    gateway.model.setRespond(({ messages }) =>
      messages.at(-1)?.role === 'tool' ? { text: 'Nothing found.' } : { calls: [call] },
    )
    const { body } = await account.post(analysisPath, question)
    expect(body).toMatchObject({ model: 'configured', answer: 'Nothing found.', usage: { toolCalls: 1 } })
    expect(gateway.model.requests.at(-1)?.messages.at(-1)?.content).toContain(error)
  })

  it('writes no content to the log', async () => {
    const account = await gateway.signUp()
    await insertTrackOf(gateway.database.sql, account.accountId, 'Unmistakable Title')
    gateway.model.setRespond(() => ({ text: 'Unmistakable answer [track:unmistakable]' }))
    await account.post(analysisPath, { message: 'Unmistakable question about plays?' })
    expect(JSON.stringify(gateway.log.lines)).not.toMatch(/unmistakable/i)
  })
})

describe('catalog-analysis.ask without a model', () => {
  const gateway = startTestGateway()

  it("returns the catalogue's findings and a text about them", async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId, 'Harbour Lights')
    await insertTrackOf(gateway.database.sql, 'acct_of_others', 'Secret Title')
    const { status, headers, body } = await account.post(analysisPath, question)
    expect(status).toBe(200)
    expect(Analysis.strict().parse(body)).toEqual(body)
    expect(headers.get(threadHeader)).toBe(body.threadId)
    expect(body.model).toBeNull()
    expect(body.usage).toEqual({ inputTokens: 0, outputTokens: 0, toolCalls: 0 })
    expect(body.answer).toContain('Harbour Lights')
    expect(body.citations).toContainEqual({ type: 'track', id: trackId, title: 'Harbour Lights' })
    expect(body.findings.length).toBeGreaterThan(0)
    expect(JSON.stringify(body)).not.toContain('Secret Title')
    expect((await readStored(gateway, account)).messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', question.message],
      ['assistant', body.answer],
    ])
  })

  it('sends the findings and the text as events', async () => {
    const account = await gateway.signUp()
    await insertTrackOf(gateway.database.sql, account.accountId)
    const { events } = await askForEvents(gateway, account, question)
    const done = events.at(-1)
    expect(done).toMatchObject({ event: 'done', data: { model: null } })
    expect(events.filter(({ event }) => event === 'delta').map(({ data }) => data.text)).toEqual([
      done?.data.answer,
    ])
    expect(events.filter(({ event }) => event === 'finding').map(({ data }) => data)).toEqual(
      done?.data.findings,
    )
  })

  it.each([
    ['an unknown field', { ...question, model: 'other' }],
    ['an empty question', { message: ' \n ' }],
    ['no question', {}],
    ['a question of 4,001 characters', { message: 'x'.repeat(4001) }],
    ['control characters', { message: 'a\u0000b' }],
    ['a malformed thread id', { ...question, threadId: 'a b' }],
  ])('returns 400 for %s', async (_, body) => {
    const account = await gateway.signUp()
    const response = await account.post(analysisPath, body)
    expect([response.status, response.body.error]).toEqual([400, 'validation_error'])
    expect((await readStored(gateway, account)).questions).toBe(0)
  })

  it('accepts a question of 4,000 characters on several lines', async () => {
    const account = await gateway.signUp()
    const message = `${'ü'.repeat(3997)}\n\tx`
    expect((await account.post(analysisPath, { message: ` ${message} ` })).status).toBe(200)
    expect((await readStored(gateway, account)).messages[0]?.text).toBe(message)
  })

  it.each([
    ['as JSON', {}],
    ['as events', { accept: 'text/event-stream' }],
  ])("returns 404 for an unknown thread and for another account's thread, %s", async (_, headers) => {
    const [owner, other] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const { threadId } = (await owner.post(analysisPath, question)).body
    for (const id of [threadId, 'unknown']) {
      const response = await other.post(analysisPath, { ...question, threadId: id }, headers)
      expect([response.status, response.body]).toEqual([404, errorBody('analysis_thread_not_found')])
      expect(response.headers.get(threadHeader)).toBeNull()
    }
    expect(await readStored(gateway, other)).toMatchObject({ threads: [], questions: 0 })
  })

  it('returns 403 for a plan without the feature, before it reads the question', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { status, body } = await account.post(analysisPath, { wrong: true })
    expect([status, body.error, body.feature]).toEqual([403, 'entitlement_required', 'catalog.analysis'])
  })
})
