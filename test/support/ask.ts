import type { TestAccount, TestGateway } from './gateway.ts'
import { readEvents, type TestEvent } from './read-events.ts'

export const analysisPath = '/v1/catalog-analysis'

export const openEvents = (
  { url }: Pick<TestGateway, 'url'>,
  { token }: TestAccount,
  body: object,
  signal?: AbortSignal,
) =>
  fetch(url + analysisPath, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  })

export const askForEvents = async (gateway: Pick<TestGateway, 'url'>, account: TestAccount, body: object) => {
  const response = await openEvents(gateway, account, body)
  const events: TestEvent[] = []
  for await (const event of readEvents(response)) events.push(event)
  return { response, events }
}

export const readStored = async ({ database }: TestGateway, { accountId }: TestAccount) => {
  const { sql } = database
  const threads = await sql`select id, message_count from analysis_threads where account_id = ${accountId}`
  const messages = await sql`
    select m.role, m.text from analysis_messages m
    join analysis_threads t on t.id = m.thread_id where t.account_id = ${accountId} order by m.thread_id, m.position`
  const [usage] = await sql`
    select sum(questions)::int as questions, sum(tokens)::int as tokens
    from analysis_usage where account_id = ${accountId}`
  return { threads, messages, questions: usage?.questions ?? 0, tokens: usage?.tokens ?? 0 }
}
