import { expect, it } from 'vitest'
import { traceStatement } from '#db/client/trace-statement.ts'
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
    rename: () => undefined,
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

it('the description of a statement is kept for the next one, unless its text is long', async () => {
  const short = 'select 1 from tracks where id = $1'
  const long = `select 1 from tracks where id in (${'$1, '.repeat(2000)}$1)`
  const [first, second, third, fourth] = await recordStarts([short, short, long, long])
  expect(second).toBe(first)
  expect(third?.attributes).toMatchObject({ 'db.collection.name': 'tracks' })
  expect(fourth).toEqual(third)
  expect(fourth).not.toBe(third)
})
