import { describe, expect, it } from 'vitest'
import { analysisPath } from '#test/support/ask.ts'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

const threadsPath = `${analysisPath}/threads`
const threadHeader = 'x-service-ai-thread-id'

const ask = async (account: TestAccount, message: string, threadId?: string) =>
  (await account.post(analysisPath, { message, ...(threadId === undefined ? {} : { threadId }) })).body

const gateway = startTestGateway()

const age = (threadId: string, days: number) =>
  gateway.database
    .sql`update analysis_threads set updated_at = updated_at - ${days} * interval '1 day' where id = ${threadId}`

describe('catalog-analysis.threads.list', () => {
  it("lists the account's threads with their message counts, most recently changed first", async () => {
    const [account, other] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const first = await ask(account, 'What is missing?\nPlease list it.')
    const second = await ask(account, 'x'.repeat(100))
    await ask(other, 'Not mine')
    const answered = await ask(account, 'And plays?', first.threadId)
    const { status, body } = await account.get(threadsPath)
    expect(status).toBe(200)
    expect(body.nextCursor).toBeNull()
    expect(body.records).toEqual([
      {
        threadId: first.threadId,
        title: 'What is missing? Please list it.',
        messageCount: 4,
        createdAt: expect.any(String),
        updatedAt: answered.createdAt,
      },
      expect.objectContaining({ threadId: second.threadId, title: 'x'.repeat(80), messageCount: 2 }),
    ])
  })

  it('returns pages according to limit and cursor', async () => {
    const account = await gateway.signUp()
    const ids: string[] = []
    for (const message of ['one', 'two', 'three']) ids.unshift((await ask(account, message)).threadId)
    const first = (await account.get(`${threadsPath}?limit=2`)).body
    const second = (await account.get(`${threadsPath}?limit=2&cursor=${first.nextCursor}`)).body
    const listed = [...first.records, ...second.records].map(({ threadId }) => threadId)
    expect([listed, second.nextCursor]).toEqual([ids, null])
  })

  it('returns 20 records by default and at most 100', async () => {
    const account = await gateway.signUp()
    await gateway.database.sql`
      insert into analysis_threads (id, account_id, title, message_count)
      select 'thread_' || ${account.accountId} || n, ${account.accountId}, 'Plays?', 2 from generate_series(1, 101) n`
    const countRecords = async (query: string) => (await account.get(threadsPath + query)).body.records.length
    expect([await countRecords(''), await countRecords('?limit=100')]).toEqual([20, 100])
  })

  it.each(['limit=0', 'limit=101', 'cursor=x'])('returns 400 for %s', async (query) => {
    const account = await gateway.signUp()
    const { status, body } = await account.get(`${threadsPath}?${query}`)
    expect([status, body.error]).toEqual([400, 'validation_error'])
  })
})

describe('catalog-analysis.threads.detail', () => {
  it("returns the messages, oldest first, with each response's findings and citations", async () => {
    const account = await gateway.signUp()
    await insertTrackOf(gateway.database.sql, account.accountId, 'Harbour Lights')
    const asked = await ask(account, 'What is missing?')
    const { status, headers, body } = await account.get(`${threadsPath}/${asked.threadId}`)
    expect(status).toBe(200)
    expect(headers.get(threadHeader)).toBe(asked.threadId)
    expect(body).toEqual({
      threadId: asked.threadId,
      title: 'What is missing?',
      messages: [
        {
          messageId: expect.any(String),
          role: 'user',
          text: 'What is missing?',
          createdAt: expect.any(String),
        },
        {
          messageId: asked.messageId,
          role: 'assistant',
          text: asked.answer,
          findings: asked.findings,
          citations: asked.citations,
          createdAt: asked.createdAt,
        },
      ],
    })
    expect(asked.findings.length).toBeGreaterThan(0)
  })
})

describe('a long thread', () => {
  it('is returned with only its last 200 messages', async () => {
    const account = await gateway.signUp()
    const { threadId } = await ask(account, 'What is missing?')
    await gateway.database.sql`
      insert into analysis_messages (id, thread_id, position, role, text)
      select ${threadId} || position, ${threadId}, position, 'user', 'Question ' || position
      from generate_series(3, 250) as position`
    const { messages } = (await account.get(`${threadsPath}/${threadId}`)).body
    const texts: string[] = messages.map(({ text }: { text: string }) => text)
    expect([texts.length, texts.at(0), texts.at(-1)]).toEqual([200, 'Question 51', 'Question 250'])
  })
})

describe('a stored finding of a kind that a newer release added', () => {
  it('is returned unchanged', async () => {
    const account = await gateway.signUp()
    await insertTrackOf(gateway.database.sql, account.accountId, 'Harbour Lights')
    const { threadId, findings } = await ask(account, 'What is missing?')
    await gateway.database.sql`
      update analysis_messages set findings = jsonb_set(findings, '{0,kind}', '"missing_upc"')
      where thread_id = ${threadId} and role = 'assistant'`
    const { status, body } = await account.get(`${threadsPath}/${threadId}`)
    expect([status, body.messages[1].findings[0]]).toEqual([200, { ...findings[0], kind: 'missing_upc' }])
  })
})

describe('catalog-analysis.threads.remove', () => {
  it('deletes the thread and its messages immediately', async () => {
    const account = await gateway.signUp()
    const { threadId } = await ask(account, 'What is missing?')
    const { status, headers, body } = await account.delete(`${threadsPath}/${threadId}`)
    expect([status, body]).toEqual([204, ''])
    expect(headers.get(threadHeader)).toBe(threadId)
    const { sql } = gateway.database
    expect(await sql`select id from analysis_messages where thread_id = ${threadId}`).toEqual([])
    expect((await account.get(threadsPath)).body.records).toEqual([])
    expect((await account.delete(`${threadsPath}/${threadId}`)).status).toBe(404)
  })
})

describe.each(['GET', 'DELETE'])('a %s request for a thread', (method) => {
  it.each(['of another account', 'that has expired', 'that does not exist', 'with a malformed id'])(
    'gets a 404 for one %s',
    async (kind) => {
      const [account, other] = await Promise.all([gateway.signUp(), gateway.signUp()])
      const owner = kind === 'of another account' ? other : account
      const { threadId } = await ask(owner, 'What is missing?')
      if (kind === 'that has expired') await age(threadId, 91)
      const unknown = kind === 'with a malformed id' ? 'a%20b' : 'unknown'
      const id = kind.startsWith('with') || kind.endsWith('exist') ? unknown : threadId
      const response = await gateway.request(method, `${threadsPath}/${id}`, { token: account.token })
      expect([response.status, response.body]).toEqual([404, errorBody('analysis_thread_not_found')])
      expect(response.headers.get(threadHeader)).toBeNull()
    },
  )
})

describe('an expired thread', () => {
  it('is not listed and cannot be continued', async () => {
    const account = await gateway.signUp()
    const [ended, kept] = [await ask(account, 'old'), await ask(account, 'new')]
    await age(ended.threadId, 90)
    await age(kept.threadId, 89)
    const { records } = (await account.get(threadsPath)).body
    expect(records.map(({ threadId }: { threadId: string }) => threadId)).toEqual([kept.threadId])
    const { status } = await account.post(analysisPath, { message: 'more', threadId: ended.threadId })
    expect(status).toBe(404)
  })
})

describe('a thread that is deleted while it is being continued', () => {
  const slow = startTestGateway({ model: true })

  it('is not restored', async () => {
    const account = await slow.signUp()
    const { threadId } = await ask(account, 'plays?')
    slow.model.setRespond(() => ({ text: 'Too late.' }))
    const { sql } = slow.database
    // The question does not see the deletion until it stores its result.
    await sql
      .begin(async (tx) => {
        await tx`delete from analysis_threads where id = ${threadId}`
        const asking = account.post(analysisPath, { message: 'More plays?', threadId })
        await expect.poll(() => slow.model.requests.at(-1)?.messages.at(-1)?.content).toBe('More plays?')
        return { asking }
      })
      .then(async ({ asking }) => {
        const { status, body } = await asking
        expect([status, body]).toEqual([404, errorBody('analysis_thread_not_found')])
      })
    expect(await sql`select id from analysis_messages where thread_id = ${threadId}`).toEqual([])
  })
})
