import { describe, expect, it } from 'vitest'
import { askCatalog } from '#client/ask-catalog.ts'
import { collect } from './collect.ts'
import { disconnect, respond, type Step, startScriptedServer } from './scripted-server.ts'

const question = { message: 'What is missing?' }
const finding = { kind: 'missing_isrc', severity: 'blocker', message: 'Night Drive has no ISRC.' }
const analysis = { threadId: 'thr_1', answer: 'Größe ✓' }
const format = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** Sends a stream in pieces that can end anywhere, even within a character. */
const stream =
  (text: string, { isCut = false } = {}): Step =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += 7) {
      response.write(bytes.subarray(at, at + 7))
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (isCut) response.destroy()
    else response.end()
  }

describe('a question about the catalogue', () => {
  const server = startScriptedServer()

  it("yields the stream's events in order", async () => {
    const [delta, other] = [format('delta', { text: 'Grö' }), format('later', { text: 'x' })]
    server.script(
      stream(`: comment\n\n${delta}${other}${format('finding', finding)}${format('done', analysis)}`),
    )
    expect(await collect(askCatalog(server.createClient(), question))).toEqual([
      { type: 'delta', text: 'Grö' },
      { type: 'finding', finding },
      { type: 'done', analysis },
    ])
    const [request] = server.requests()
    expect(request?.headers).toMatchObject({ accept: 'text/event-stream', authorization: 'Bearer token-1' })
    expect(request?.headers).not.toHaveProperty('idempotency-key')
    expect(JSON.parse(request?.body ?? '')).toEqual(question)
  })

  it('yields events with every character that JSON does not escape', async () => {
    const subject = { type: 'track', id: 't1', title: 'Night\u2028Drive\u2029\u0085' }
    const events = [format('finding', { ...finding, subject }), format('done', { findings: [{ subject }] })]
    server.script(stream(events.join('')))
    expect(await collect(askCatalog(server.createClient(), question))).toEqual([
      { type: 'finding', finding: { ...finding, subject } },
      { type: 'done', analysis: { findings: [{ subject }] } },
    ])
  })

  it('is sent again with a new token if the first one is rejected', async () => {
    server.script(respond(401, 'unauthorized'), stream(format('done', analysis)))
    const client = server.createClient({ getToken: (rejected) => (rejected ? 'new' : 'old') })
    expect(await collect(askCatalog(client, question))).toHaveLength(1)
  })

  it.each([
    ['an error response', respond(429, 'analysis_rate_limited'), 'analysis_rate_limited'],
    ['an error within the stream', stream(format('error', { error: 'internal_error' })), 'internal_error'],
    ['a stream without an end', stream(format('delta', { text: 'a' })), 'connection_failed'],
    ['a stream that is cut', stream(format('delta', { text: 'a' }), { isCut: true }), 'connection_failed'],
    ['a lost connection', disconnect, 'connection_failed'],
    ['a response of a different type', respond(200, analysis), 'invalid_response'],
  ])('fails after %s, and is not repeated', async (_, step, code) => {
    server.script(step)
    await expect(collect(askCatalog(server.createClient(), question))).rejects.toMatchObject({ code })
    expect(server.requests().length).toBe(1)
  })

  it("may take longer than an attempt's time limit, and fails with its signal's reason if aborted", async () => {
    const controller = new AbortController()
    server.script((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(format('delta', { text: 'a' }))
      setTimeout(() => response.write(format('delta', { text: 'b' })), 1500)
    })
    const { signal } = controller
    const events = askCatalog(server.createClient({ timeoutMs: 1000 }), question, { signal })
    expect((await events.next()).value).toEqual({ type: 'delta', text: 'a' })
    expect((await events.next()).value).toEqual({ type: 'delta', text: 'b' })
    controller.abort(new Error('the page was closed'))
    await expect(events.next()).rejects.toThrow('the page was closed')
  })

  it('closes the connection when the consumer stops reading', async () => {
    const closed = Promise.withResolvers<void>()
    server.script((response) => {
      response.once('close', closed.resolve)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(format('delta', { text: 'a' }))
    })
    for await (const { type } of askCatalog(server.createClient(), question)) if (type === 'delta') break
    await closed.promise
  })
})
