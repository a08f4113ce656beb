import { describe, expect, it } from 'vitest'
import { analysisPath, askForEvents, openEvents, readStored } from '#test/support/ask.ts'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestWorker } from '#test/support/worker.ts'

const gateway = startTestGateway({ control: 'fixed' })
const worker = startTestWorker(gateway)

const question = { message: 'What is missing before a release?' }
const threadHeader = 'x-service-ai-thread-id'

describe('catalog-analysis.ask on Workers', () => {
  it('streams events and stores the result', async () => {
    const account = await gateway.signUp()
    await insertTrackOf(gateway.database.sql, account.accountId, 'Harbour Lights')
    const { response, events } = await askForEvents({ url: worker.origin() }, account, question)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const done = events.at(-1)
    expect(done).toMatchObject({ event: 'done', data: { model: null } })
    expect(response.headers.get(threadHeader)).toBe(done?.data.threadId)
    expect(events.filter(({ event }) => event === 'finding').map(({ data }) => data)).toEqual(
      done?.data.findings,
    )
    const stored = await readStored(gateway, account)
    expect(stored.messages.map(({ text }) => text)).toEqual([question.message, done?.data.answer])
  })

  it('returns JSON to a client that does not ask for events, and continues a thread', async () => {
    const account = await gateway.signUp()
    const send = (body: object) => worker.request('POST', analysisPath, { token: account.token, body })
    const first = await send(question)
    expect(first.status).toBe(200)
    const { threadId } = first.body
    const second = await send({ ...question, threadId })
    expect([second.status, second.headers.get(threadHeader)]).toEqual([200, threadId])
    const unknown = await send({ ...question, threadId: 'unknown' })
    expect([unknown.status, unknown.body]).toEqual([404, errorBody('analysis_thread_not_found')])
  })

  it('shares the daily limit with other instances', async () => {
    const account = await gateway.signUp({ plan: 'starter' })
    const ask = (asked: number) =>
      asked % 2 === 0
        ? account.post(analysisPath, question)
        : worker.request('POST', analysisPath, { token: account.token, body: question })
    const responses = await Promise.all(Array.from({ length: 8 }, (_, asked) => ask(asked)))
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429, 429, 429])
    expect(await readStored(gateway, account)).toMatchObject({ questions: 3 })
  })

  it('counts a question even if its client disconnects, and stores the result completely or not at all', async () => {
    const account = await gateway.signUp()
    const controller = new AbortController()
    // The lock makes the work wait for the catalogue until the client has disconnected.
    await gateway.database.sql.begin(async (tx) => {
      await tx`lock table split_sheets in access exclusive mode`
      const response = await openEvents({ url: worker.origin() }, account, question, controller.signal)
      expect(response.status).toBe(200)
      const isWaiting = async () =>
        (await tx`select from pg_locks where relation = 'split_sheets'::regclass and not granted`).length > 0
      await expect.poll(isWaiting, { timeout: 5000 }).toBe(true)
      controller.abort()
    })
    await expect.poll(async () => (await readStored(gateway, account)).questions).toBe(1)
    const isComplete = async () => {
      const { threads, messages } = await readStored(gateway, account)
      return messages.length === threads.reduce((sum, thread) => sum + thread.message_count, 0)
    }
    expect(await isComplete()).toBe(true)
    // Checks again after another question, because the runtime may have let the work finish.
    const { status } = await worker.request('POST', analysisPath, { token: account.token, body: question })
    expect([status, await isComplete()]).toEqual([200, true])
  })
})
