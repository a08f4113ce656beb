import { describe, expect, it } from 'vitest'
import { analysisPath, openEvents, readStored } from '#test/support/ask.ts'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

const question = { message: 'What is being played?' }
const threadHeader = 'x-service-ai-thread-id'
const secondsOfDay = 86_400

const expectLimited = ({ status, headers, body }: { status: number; headers: Headers; body: unknown }) => {
  expect([status, body]).toEqual([429, errorBody('analysis_rate_limited')])
  const retryAfter = Number(headers.get('retry-after'))
  expect(retryAfter).toBeGreaterThan(0)
  expect(retryAfter).toBeLessThanOrEqual(secondsOfDay)
}

describe('the daily question limit', () => {
  const settings = { AI_REQUESTS_PER_DAY: '5' }
  const gateway = startTestGateway({ environment: settings })

  it('applies to each account, and the 429 names the thread that the question continues', async () => {
    const [account, other] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const { threadId } = (await account.post(analysisPath, question)).body
    for (let asked = 1; asked < 5; asked += 1)
      expect((await account.post(analysisPath, question)).status).toBe(200)
    const limited = await account.post(analysisPath, { ...question, threadId })
    expectLimited(limited)
    expect(limited.headers.get(threadHeader)).toBe(threadId)
    const limitedInNewThread = await account.post(analysisPath, question, { accept: 'text/event-stream' })
    expectLimited(limitedInNewThread)
    expect(limitedInNewThread.headers.get(threadHeader)).toBeNull()
    expect((await other.post(analysisPath, question)).status).toBe(200)
  })

  it('can come from the plan, and exceeding it then causes a 429 rather than a 403', async () => {
    const account = await gateway.signUp({ plan: 'starter' })
    for (let asked = 0; asked < 3; asked += 1)
      expect((await account.post(analysisPath, question)).status).toBe(200)
    expectLimited(await account.post(analysisPath, question))
  })

  it('starts again the next day', async () => {
    const account = await gateway.signUp({ plan: 'starter' })
    for (let asked = 0; asked < 3; asked += 1) await account.post(analysisPath, question)
    await gateway.database
      .sql`update analysis_usage set day = day - 1 where account_id = ${account.accountId}`
    expect((await account.post(analysisPath, question)).status).toBe(200)
  })

  it('cannot be exceeded by concurrent questions', async () => {
    const account = await gateway.signUp()
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => account.post(analysisPath, question)),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(7)
    expect(await readStored(gateway, account)).toMatchObject({ questions: 5 })
  })
})

describe('the daily token limit', () => {
  const gateway = startTestGateway({ model: true, environment: { AI_TOKENS_PER_DAY: '1000' } })

  it('rejects questions once an account has used up its tokens', async () => {
    const account = await gateway.signUp()
    let status = 200
    for (let asked = 0; asked < 5 && status === 200; asked += 1)
      ({ status } = await account.post(analysisPath, question))
    expect(status).toBe(429)
    expectLimited(await account.post(analysisPath, question))
    expect((await readStored(gateway, account)).tokens).toBeGreaterThanOrEqual(1000)
  })
})

describe('the tokens of concurrent questions', () => {
  const gateway = startTestGateway({
    model: true,
    environment: { AI_TOKENS_PER_DAY: '6000', AI_MAX_TOKENS: '3000' },
  })

  it('are reserved, so that together they do not exceed the day’s limit', async () => {
    const account = await gateway.signUp()
    gateway.model.setFault('slow')
    const controllers = [new AbortController(), new AbortController()]
    for (const { signal } of controllers) await openEvents(gateway, account, question, signal)
    expectLimited(await account.post(analysisPath, question))
    for (const controller of controllers) controller.abort()
    gateway.model.setFault(null)
    await expect
      .poll(async () => (await account.post(analysisPath, question)).status, { timeout: 5000 })
      .toBe(200)
  })
})

describe('the token limit of a question', () => {
  const gateway = startTestGateway({ model: true, environment: { AI_MAX_TOKENS: '1' } })

  it('stops the model, and leaves an answer based on the findings alone', async () => {
    const account = await gateway.signUp()
    const { status, body } = await account.post(analysisPath, question)
    expect([status, body.model, body.usage.toolCalls]).toEqual([200, null, 1])
    expect(gateway.model.requests.filter(({ messages }) => messages.at(-1)?.role === 'tool')).toEqual([])
  })
})

describe('the tokens of a prompt', () => {
  const gateway = startTestGateway({ model: true, environment: { AI_MAX_TOKENS: '3000' } })

  it("are estimated, and the model gets only as many of the thread's latest messages as fit", async () => {
    const account = await gateway.signUp()
    const ask = async (message: string, threadId?: string) =>
      (await account.post(analysisPath, { message, ...(threadId ? { threadId } : {}) })).body.threadId
    const long = 'äöü '.repeat(900)
    gateway.model.setRespond(() => ({ text: 'Noted.' }))
    const threadId = await ask(`First ${long}`)
    await ask(`Second ${long}`, threadId)
    await ask('Third', threadId)
    const read = gateway.model.requests.at(-1)?.messages.map(({ content }) => content?.slice(0, 6).trim())
    expect(read?.slice(1)).toEqual(['Noted.', 'Second', 'Noted.', 'Third'])
  })

  it("stop the model once they exceed the question's limit", async () => {
    const account = await gateway.signUp()
    const { sql } = gateway.database
    for (let index = 0; index < 25; index += 1)
      await insertTrackOf(sql, account.accountId, `${index} ${'long title '.repeat(25)}`)
    const requested = gateway.model.requests.length
    gateway.model.setRespond(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'Read.' }
        : { calls: [{ name: 'search_tracks', input: '{"text":"long","limit":50}' }] },
    )
    const { body } = await account.post(analysisPath, question)
    expect([body.model, body.usage.toolCalls]).toEqual([null, 1])
    expect(gateway.model.requests.length - requested).toBe(1)
    expect(gateway.log.lines.some(({ fields }) => fields.reason === 'tokens')).toBe(true)
  })
})

describe('the tool calls of a question', () => {
  const gateway = startTestGateway({ model: true, environment: { AI_MAX_TOOL_CALLS: '2' } })

  it('are limited by AI_MAX_TOOL_CALLS', async () => {
    const account = await gateway.signUp()
    const message = 'What is missing, what is shared, what is played, and are there duplicates?'
    const { body } = await account.post(analysisPath, { message })
    expect([body.model, body.usage.toolCalls]).toEqual(['configured', 2])
    const results = gateway.model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool')
    expect(results?.map(({ content }) => content?.includes('No more tools'))).toEqual([
      false,
      false,
      true,
      true,
    ])
  })
})

describe("a thread's messages", () => {
  const gateway = startTestGateway({ model: true })

  it('are sent to the model up to a limit, without the oldest ones', async () => {
    const account = await gateway.signUp()
    const questions = Array.from({ length: 12 }, (_, index) => `Plays of day ${index}?`)
    let threadId: string | undefined
    for (const message of questions)
      threadId = (await account.post(analysisPath, threadId ? { message, threadId } : { message })).body
        .threadId
    const users = gateway.model.requests.at(-1)?.messages.filter(({ role }) => role === 'user')
    // 20 earlier messages are sent, half of them answers.
    expect(users?.map(({ content }) => content)).toEqual(questions.slice(1))
  })
})
