import { ApiError, createInvalidResponseError, createStreamError } from './api-error.ts'
import type { Client } from './calls.ts'
import type { components } from './schema.ts'

type Schemas = components['schemas']

/** A piece of text, a finding, or the whole analysis, which is the last event. */
export type CatalogEvent =
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'finding'; readonly finding: Schemas['Finding'] }
  | { readonly type: 'done'; readonly analysis: Schemas['Analysis'] }

const template = '/v1/catalog-analysis'
const operation = `POST ${template}`

interface EventData {
  readonly delta: { readonly text: string }
  readonly finding: Schemas['Finding']
  readonly done: Schemas['Analysis']
}

// Like responses, events get their types from the API description, and their data is not checked.
const dataOf = <N extends keyof EventData>(_: N, data: unknown) => data as EventData[N]

// Unknown events are ignored, because the service may add new ones.
const toCatalogEvent = (name: string, data: unknown): CatalogEvent | null => {
  if (name === 'delta') return { type: name, text: dataOf(name, data).text }
  if (name === 'finding') return { type: name, finding: dataOf(name, data) }
  if (name === 'done') return { type: name, analysis: dataOf(name, data) }
  if (name === 'error') throw createStreamError(operation, data)
  return null
}

interface ServerSentEvent {
  readonly name: string
  readonly data: string
}

// A line that begins with a colon is a comment. Servers send comments to keep the connection open.
const parseEvent = (block: string): ServerSentEvent | null => {
  let name = 'message'
  const data: string[] = []
  for (const line of block.split(/\r\n|\n|\r/)) {
    // With the flag `s`, because JSON does not escape U+2028 and U+2029, which `.` would not match.
    const [, field, value = ''] = /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') name = value
    if (field === 'data') data.push(value)
  }
  return data.length > 0 ? { name, data: data.join('\n') } : null
}

/** Cancels the stream if the consumer stops early. */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent, void, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = `${rest}${decoder.decode(value, { stream: true })}`.split(/\r\n\r\n|\n\n|\r\r/)
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseEvent(block)
        if (event) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/**
 * Asks about the catalogue and yields events as the response is produced. The question is not retried. If the
 * connection is lost but the service completes the answer, you find it in the question's thread.
 * @throws {ApiError} `connection_failed` if the stream ends too early, or what any call throws
 */
export async function* askCatalog(
  client: Client,
  question: Schemas['Question'],
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<CatalogEvent, void, void> {
  const response = await client.stream(template, { body: question, signal })
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream'))
    throw createInvalidResponseError({ operation, response, expected: 'a stream of events' })
  let cause: unknown
  try {
    for await (const { name, data } of readEvents(response.body)) {
      const event = toCatalogEvent(name, JSON.parse(data))
      if (event) yield event
      if (event?.type === 'done') return
    }
  } catch (error) {
    if (error instanceof ApiError) throw error
    signal?.throwIfAborted()
    cause = error
  }
  throw new ApiError({
    code: 'connection_failed',
    message: `${operation}: the stream ended too early`,
    cause,
  })
}
