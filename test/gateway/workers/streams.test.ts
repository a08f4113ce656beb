import { describe, expect, it } from 'vitest'
import { analysisPath, askForEvents, readStored } from '#test/support/ask.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestWorker } from '#test/support/worker.ts'

const gateway = startTestGateway()
const worker = startTestWorker(gateway)

const question = { message: 'What is missing before a release?' }
const threadHeader = 'x-service-ai-thread-id'

describe('catalog-analysis.ask on Workers', () => {
  it('streams events, and stores what it has sent', async () => {
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

  it('returns the same as JSON, and continues a thread', async () => {
    const account = await gateway.signUp()
    const send = (body: object) => worker.request('POST', analysisPath, { token: account.token, body })
    const first = await send(question)
    expect(first.status).toBe(200)
    const { threadId } = first.body
    const second = await send({ ...question, threadId })
    expect([second.status, second.headers.get(threadHeader)]).toEqual([200, threadId])
    const unknown = await send({ ...question, threadId: 'unknown' })
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'analysis_thread_not_found' }])
  })
})
