import type * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'
import type { NativeStream, OpenedStream } from '#native-routes/define-stream.ts'
import type { Ports } from '#native-routes/ports.ts'
import { ClientGoneError, type RequestContext, type RouteParams } from '../request/context.ts'
import { type GatewayResponse, jsonResponse, type StreamResponse } from '../request/response.ts'
import { computeHeaders, redact } from './redact-response.ts'
import { NativeTimeout } from './to-api-error.ts'

export interface ServerSentEvent {
  readonly event: string
  readonly data: string
}

interface SendOptions {
  readonly headers: Readonly<Record<string, string>>
  /** If it aborts, its reason is treated like an error thrown by the events. */
  readonly signal: AbortSignal
  readonly cancel: () => void
  readonly heartbeatMs: number
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

/** Sends events as they are produced, no faster than the client reads. An error becomes the last event. */
export const sendEvents = (
  events: AsyncIterable<ServerSentEvent>,
  { headers, signal, cancel, heartbeatMs, toApiError }: SendOptions,
): StreamResponse => {
  const iterator = events[Symbol.asyncIterator]()
  const aborted = whenAborted(signal)
  const ended = Promise.withResolvers<void>()
  let heartbeatTimer: ReturnType<typeof setInterval> | undefined
  let hasBegun = false
  let isOpen = true
  const end = async () => {
    isOpen = false
    clearInterval(heartbeatTimer)
    // A generator that never began would not release what it has reserved. The signal ends it at once.
    if (!hasBegun) await iterator.next().catch(() => undefined)
    // Wait for the work to end, because the request's resources are released after that.
    await iterator.return?.().catch(() => undefined)
    ended.resolve()
  }

  const readNext = async (): Promise<{ event?: ServerSentEvent; isLast: boolean }> => {
    hasBegun = true
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
      heartbeatTimer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(heartbeat)
      }, heartbeatMs)
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

/** The reason becomes the stream's error. */
export interface Cancellation {
  readonly signal: AbortSignal
  cancel(reason: Error): void
}

export const createCancellation = (context: RequestContext): Cancellation => {
  const controller = new AbortController()
  context.onDisconnect(() => controller.abort(new ClientGoneError()))
  return { signal: controller.signal, cancel: (reason) => controller.abort(reason) }
}

export interface EventResponse {
  readonly headers: Readonly<Record<string, string>>
  readonly events: AsyncIterable<ServerSentEvent>
  readonly cancellation: Cancellation
}

const acceptsEvents = (accept = '') =>
  accept.split(',').some((range) => /^\s*text\/event-stream\s*(?:;(?!\s*q=0(?:\.0*)?\s*$)|$)/i.test(range))

const doneEvent = 'done'

type StreamContract = NativeStream['contract']

const schemaOf = ({ label, stream, responses }: StreamContract, event: string): z.ZodType => {
  const schema = event === doneEvent ? responses[200] : stream.events[event]
  if (!schema) throw new Error(`${label}: the contract has no event ${event}`)
  return schema
}

async function* redactEvents(contract: StreamContract, { events }: OpenedStream) {
  for await (const { event, data } of events) {
    yield { event, data: redact(contract, 200, schemaOf(contract, event), data) }
    if (event === doneEvent) return
  }
  throw new Error(`${contract.label}: the events ended without ${doneEvent}`)
}

async function* encodeEvents(contract: StreamContract, opened: OpenedStream): AsyncIterable<ServerSentEvent> {
  for await (const { event, data } of redactEvents(contract, opened))
    yield { event, data: JSON.stringify(data) }
}

const readLastEvent = async (contract: StreamContract, opened: OpenedStream) => {
  let last: unknown
  for await (const { data } of redactEvents(contract, opened)) last = data
  return last
}

interface StreamRequest {
  readonly input: object
  readonly params: RouteParams
  readonly accept: string | undefined
  readonly cancellation: Cancellation
}

/** Depending on its `Accept`, the client gets all events, or only the last one as JSON. */
export const runStream = async (
  { contract, open }: NativeStream,
  { input, params, accept, cancellation }: StreamRequest,
  ports: Ports,
): Promise<GatewayResponse | EventResponse> => {
  const opened = await open({ ...input, signal: cancellation.signal }, ports)
  const opening = redact(contract, 200, contract.stream.opening, opened.opening)
  const headers = computeHeaders(contract, 200, params, opening, '')
  return acceptsEvents(accept)
    ? { headers, events: encodeEvents(contract, opened), cancellation }
    : jsonResponse(200, await readLastEvent(contract, opened), headers)
}

interface StreamLimits {
  readonly timeoutMs: number
  readonly heartbeatMs: number
}

/** `report` is called with any error that ends them, except when the client disconnects. */
export const startStream = (
  { headers, events, cancellation: { signal, cancel } }: EventResponse,
  { timeoutMs, heartbeatMs }: StreamLimits,
  report: (error: unknown) => ApiError,
): StreamResponse => {
  const timer = setTimeout(
    () => cancel(new NativeTimeout(`the stream did not end within ${timeoutMs} ms`)),
    timeoutMs,
  )
  const response = sendEvents(events, {
    headers,
    signal,
    cancel: () => cancel(new ClientGoneError()),
    heartbeatMs,
    toApiError: (error) =>
      error instanceof ClientGoneError ? new ApiError('internal_error') : report(error),
  })
  return { ...response, ended: response.ended.finally(() => clearTimeout(timer)) }
}
