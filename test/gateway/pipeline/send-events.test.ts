import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '#contracts/errors.ts'
import { type ServerSentEvent, sendEvents } from '#gateway/pipeline/run-stream.ts'
import { errorBody } from '#test/support/error-body.ts'

const headers = { 'x-service-ai-thread-id': 'thread' }

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const send = (events: AsyncIterable<ServerSentEvent>, controller = new AbortController()) => {
  const errors: unknown[] = []
  const response = sendEvents(events, {
    headers,
    signal: controller.signal,
    cancel: () => controller.abort(new Error('cancelled')),
    heartbeatMs: 15_000,
    toApiError: (error) => {
      errors.push(error)
      return new ApiError('internal_error')
    },
  })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  return { response, reader, errors, controller }
}

const neverEnding = async function* (): AsyncGenerator<ServerSentEvent> {
  yield { event: 'delta', data: '1' }
  await new Promise(() => {})
}

describe('a stream of events', () => {
  it('begins immediately with a comment, and ends with the last event', async () => {
    const { response, reader } = send(
      (async function* () {
        yield { event: 'delta', data: '{"text":"a"}' }
        yield { event: 'done', data: '{}' }
      })(),
    )
    expect(response.status).toBe(200)
    expect(response.headers).toMatchObject({
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
    })
    const parts: string[] = []
    for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value)
    expect(parts).toEqual([
      ': heartbeat\n\n',
      'event: delta\ndata: {"text":"a"}\n\n',
      'event: done\ndata: {}\n\n',
    ])
    await response.ended
  })

  it('sends a comment whenever the interval passes without an event', async () => {
    const { reader } = send(neverEnding())
    await reader.read()
    await reader.read()
    const waiting = reader.read()
    vi.advanceTimersByTime(15_000)
    expect((await waiting).value).toBe(': heartbeat\n\n')
    const again = reader.read()
    vi.advanceTimersByTime(15_000)
    expect((await again).value).toBe(': heartbeat\n\n')
    expect(vi.getTimerCount()).toBe(1)
  })

  it('ends with an error event after a failure, and sends no more comments', async () => {
    const failure = new Error('a secret')
    const { response, reader, errors, controller } = send(
      // biome-ignore lint/correctness/useYield: it fails before its first event
      (async function* (): AsyncGenerator<ServerSentEvent> {
        throw failure
      })(),
    )
    await reader.read()
    expect((await reader.read()).value).toBe(
      `event: error\ndata: ${JSON.stringify(errorBody('internal_error'))}\n\n`,
    )
    expect((await reader.read()).done).toBe(true)
    expect(errors).toEqual([failure])
    await response.ended
    expect(vi.getTimerCount()).toBe(0)
    expect(controller.signal.aborted).toBe(true)
  })

  it('ends with the reason given by its abort signal even if its events never end', async () => {
    const controller = new AbortController()
    const timeout = new Error('deadline')
    const { reader, errors } = send(neverEnding(), controller)
    await reader.read()
    await reader.read()
    const waiting = reader.read()
    controller.abort(timeout)
    expect((await waiting).value).toContain('event: error')
    expect(errors).toEqual([timeout])
  })

  it('aborts the work and waits for it to end when the client disconnects', async () => {
    let hasEnded = false
    const { response, reader, controller, errors } = send(
      (async function* () {
        try {
          for (;;) yield { event: 'delta', data: '1' }
        } finally {
          hasEnded = true
        }
      })(),
    )
    await reader.read()
    await reader.read()
    await reader.cancel()
    await response.ended
    expect([hasEnded, controller.signal.aborted, vi.getTimerCount(), errors]).toEqual([true, true, 0, []])
  })

  it('does not run far ahead of a client that stops reading', async () => {
    let made = 0
    const { reader } = send(
      (async function* () {
        for (;;) yield { event: 'delta', data: String(++made) }
      })(),
    )
    await reader.read()
    await reader.read()
    await new Promise((resolve) => setImmediate(resolve))
    expect(made).toBeLessThan(5)
    await reader.cancel()
  })
})
