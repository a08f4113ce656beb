import { EventSourceParserStream } from 'eventsource-parser/stream'

export interface TestEvent {
  readonly event: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it expects
  readonly data: any
}

/** Reads a response's events as they arrive. Disconnects when the caller leaves the loop. */
export async function* readEvents(
  response: Response,
  onComment?: (comment: string) => void,
): AsyncGenerator<TestEvent> {
  if (!response.body) throw new Error('the response has no body')
  const events = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ onComment }))
  for await (const { event, data } of events) yield { event, data: JSON.parse(data) }
}
