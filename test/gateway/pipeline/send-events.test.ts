import { describe, expect, it } from 'vitest'
import { ApiError } from '#contracts/errors.ts'
import { type Every, type ServerSentEvent, sendEvents } from '#gateway/pipeline/run-stream.ts'
import { errorBody } from '#test/support/error-body.ts'

const headers = { 'x-service-ai-thread-id': 'thread' }

const createManualClock = () => {
  let ticks: (() => void)[] = []
  const every: Every = (intervalMs, tick) => {
    expect(intervalMs).toBe(15_000)
    ticks.push(tick)
    return () => {
      ticks = ticks.filter((one) => one !== tick)
    }
  }
  return {
    every,
    tick: () => {
      for (const one of ticks) one()
    },
    countRunning: () => ticks.length,
  }
}

const send = (events: AsyncIterable<ServerSentEvent>, controller = new AbortController()) => {
  const clock = createManualClock()
  const errors: unknown[] = []
  const response = sendEvents(events, {
    headers,
    signal: controller.signal,
    cancel: () => controller.abort(new Error('cancelled')),
    heartbeatMs: 15_000,
    every: clock.every,
    toApiError: (error) => {
      errors.push(error)
      return new ApiError('internal_error')
    },
  })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  return { response, reader, clock, errors, controller }
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
    const { reader, clock } = send(neverEnding())
    await reader.read()
    await reader.read()
    const waiting = reader.read()
    clock.tick()
    expect((await waiting).value).toBe(': heartbeat\n\n')
    const again = reader.read()
    clock.tick()
    expect((await again).value).toBe(': heartbeat\n\n')
    expect(clock.countRunning()).toBe(1)
  })

  it('ends with an error event after a failure, and sends no more comments', async () => {
    const failure = new Error('a secret')
    const { response, reader, clock, errors, controller } = send(
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
    expect(clock.countRunning()).toBe(0)
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
    const { response, reader, clock, controller, errors } = send(
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
    expect([hasEnded, controller.signal.aborted, clock.countRunning(), errors]).toEqual([true, true, 0, []])
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
