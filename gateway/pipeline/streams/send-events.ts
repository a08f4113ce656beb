import type { ApiError } from '#contracts/errors.ts'
import type { StreamResponse } from '../../request/response.ts'

export interface ServerSentEvent {
  readonly event: string
  readonly data: string
}

export type Every = (intervalMs: number, tick: () => void) => () => void

export const everyInterval: Every = (intervalMs, tick) => {
  const timer = setInterval(tick, intervalMs)
  return () => clearInterval(timer)
}

interface SendOptions {
  readonly headers: Readonly<Record<string, string>>
  /** If it aborts, its reason is treated like an error thrown by the events. */
  readonly signal: AbortSignal
  readonly cancel: () => void
  readonly heartbeatMs: number
  readonly every: Every
  /** Reports an error thrown by the events and returns the error that the client gets. */
  readonly toApiError: (error: unknown) => ApiError
}

const encoder = new TextEncoder()

const encodeEvent = ({ event, data }: ServerSentEvent) => encoder.encode(`event: ${event}\ndata: ${data}\n\n`)

// A comment, which clients ignore. It keeps proxies' idle timeouts from ending the response.
const heartbeat = encoder.encode(': heartbeat\n\n')

const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Without this header, nginx buffers events before forwarding them.
  'x-accel-buffering': 'no',
}

const whenAborted = (signal: AbortSignal) => {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  // Between two events nothing awaits this promise, so handle its rejection here.
  aborted.catch(() => undefined)
  return aborted
}

/**
 * Sends events as they are produced, no faster than the client reads. An error becomes the last event. A disconnect
 * cancels the work.
 */
export const sendEvents = (
  events: AsyncIterable<ServerSentEvent>,
  { headers, signal, cancel, heartbeatMs, every, toApiError }: SendOptions,
): StreamResponse => {
  const iterator = events[Symbol.asyncIterator]()
  const aborted = whenAborted(signal)
  const ended = Promise.withResolvers<void>()
  let stopHeartbeat = () => {}
  let isOpen = true
  const end = async () => {
    isOpen = false
    stopHeartbeat()
    // Wait for the work to end, because the request's resources are released after that.
    await iterator.return?.().catch(() => undefined)
    ended.resolve()
  }

  const readNext = async (): Promise<{ event?: ServerSentEvent; isLast: boolean }> => {
    try {
      const { done = false, value } = await Promise.race([iterator.next(), aborted])
      return done ? { isLast: true } : { event: value, isLast: false }
    } catch (error) {
      if (!isOpen) return { isLast: true }
      cancel()
      return { event: { event: 'error', data: JSON.stringify(toApiError(error).body) }, isLast: true }
    }
  }

  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      // Sends the head immediately, before the first event.
      controller.enqueue(heartbeat)
      stopHeartbeat = every(heartbeatMs, () => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(heartbeat)
      })
    },
    async pull(controller) {
      const { event, isLast } = await readNext()
      if (!isOpen) return
      if (event) controller.enqueue(encodeEvent(event))
      if (!isLast) return
      void end()
      controller.close()
    },
    cancel() {
      isOpen = false
      cancel()
      return end()
    },
  })
  return { status: 200, headers: { ...headers, ...eventStreamHeaders }, body, ended: ended.promise }
}
