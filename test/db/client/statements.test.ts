import { expect, it } from 'vitest'
import { cancelAfterTimeout, traceStatement } from '#db/client/statements.ts'
import { runInTrace, type Span, type SpanStart } from '#shared/tracing/trace.ts'
import { createTraceContext } from '#shared/tracing/trace-context.ts'

const recordStarts = async (texts: readonly string[]) => {
  const starts: (SpanStart | undefined)[] = []
  const span: Span = {
    context: createTraceContext('0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331', 1, null),
    startChild: (_name, start) => {
      starts.push(start)
      return span
    },
    rename: () => {},
    set: () => {},
    fail: () => {},
    end: () => {},
  }
  const trace = { identity: { traceId: null, traceparent: null }, sent: null, span }
  await runInTrace(trace, async () => {
    for (const text of texts) await traceStatement(text, async () => {})
  })
  return starts
}

it("a statement's description is reused for the next statement with the same text, unless the text is long", async () => {
  const short = 'select 1 from tracks where id = $1'
  const long = `select 1 from tracks where id in (${'$1, '.repeat(2000)}$1)`
  const [first, second, third, fourth] = await recordStarts([short, short, long, long])
  expect(second).toBe(first)
  expect(third?.attributes).toMatchObject({ 'db.collection.name': 'tracks' })
  expect(fourth).toEqual(third)
  expect(fourth).not.toBe(third)
})

it.each([
  ['select "id" from "tracks" where "id" in (select "track_id" from "stems")', 'tracks'],
  ['with "shown" as (select 1 from "packs") select "a" from "shown" join "tracks" on true', 'packs'],
  ['with "old" as (select "id" from "links" for update) update "links" set "a" = $1', 'links'],
  ['select "id" from "jobs" where "a" = $1 for no key update skip locked', 'jobs'],
  [
    'insert into "public"."counts" ("a") select 1 from "links" on conflict do update set "a" = 1',
    'public.counts',
  ],
  ['with "gone" as (delete from "events" where true returning 1) select count(*) from "gone"', 'events'],
  ['select 1', undefined],
])('the statement %s is described with the table %s', async (text, table) => {
  const [start] = await recordStarts([text])
  expect(start?.attributes?.['db.collection.name']).toBe(table)
})

/** Imitates the driver's query. Cancelling it calls `request`. */
const sendQuery = (request: () => Promise<unknown>) => {
  const isRequested = Promise.withResolvers<void>()
  const result = Promise.withResolvers<string>()
  const query = Object.assign(result.promise, {
    active: true,
    canceller: () => {
      isRequested.resolve()
      return request()
    },
  })
  return { query, end: result.resolve, isRequested: isRequested.promise }
}

it("a cancelled statement's result waits for the cancel request, which could otherwise hit the next statement", async () => {
  const request = Promise.withResolvers<void>()
  const { query, end, isRequested } = sendQuery(() => request.promise)
  const session = { isConnected: true }
  const events: string[] = []
  const result = cancelAfterTimeout(session, 1, query, query).then((value) => events.push(value))
  await isRequested
  end('the result')
  await query
  setImmediate(() => {
    events.push('the request ended')
    request.resolve()
  })
  await result
  expect(events).toEqual(['the request ended', 'the result'])
  expect(session.isConnected).toBe(true)
})

it('a session is not reused if its cancel request never completes', async () => {
  const { query, end, isRequested } = sendQuery(() => new Promise(() => undefined))
  const session = { isConnected: true }
  const result = cancelAfterTimeout(session, 1, query, query)
  await isRequested
  end('the result')
  expect(await result).toBe('the result')
  expect(session.isConnected).toBe(false)
})

it('a failed cancel request does not change the result', async () => {
  const { query, end, isRequested } = sendQuery(async () => {
    throw new Error('connection refused')
  })
  const result = cancelAfterTimeout({ isConnected: true }, 1, query, query)
  await isRequested
  end('the result')
  expect(await result).toBe('the result')
})
