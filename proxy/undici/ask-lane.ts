import { type Dispatcher, Pool } from 'undici'
import type { BreakerState } from '../circuit-breaker.ts'
import type { CoreLoad } from '../core-load.ts'
import type { AskOutcome, AskRequest } from '../core-response.ts'
import { isCloseDelimited } from '../headers/header-rules.ts'
import {
  assignNextConnection,
  type ConnectionSettings,
  type ConnectionUser,
} from '../node-streams/core-connection.ts'
import type { LaneUsage } from './lane.ts'
import { ResponseCopy } from './response-copy.ts'
import { type ParsedHeaders, readResponseHead } from './response-head.ts'
import { createUndiciOptions, isInvalidArgument } from './undici-clients.ts'

const abortReason = new Error('the request to the core has ended')

interface AskLaneHooks {
  /** Called when the outcome is known. A request that is still queued then leaves the queue. */
  onEnded(request: AskedRequest): void
  onHead(receivedAt: number): void
  /** Called when undici no longer uses the slot. */
  release(): void
  /** Called when no connection could be made, possibly after the outcome is known. */
  onConnectFailed(request: AskRequest): void
}

/** Reports its outcome once, and collects the response instead of streaming it. */
class AskedRequest implements Dispatcher.DispatchHandler, ConnectionUser {
  readonly dispatchOptions: Dispatcher.DispatchOptions
  readonly outcome: Promise<AskOutcome>
  readonly #request: AskRequest
  readonly #lane: AskLaneHooks
  readonly #resolve: (outcome: AskOutcome) => void
  readonly #onAbort = () => this.abort()
  #timer: ReturnType<typeof setTimeout>
  #hasEnded = false
  #dispatchedAt = 0
  #controller: Dispatcher.DispatchController | null = null
  #copy: ResponseCopy | null = null
  #isCloseDelimited = false
  #hasConnectionError = false
  #isHttp10 = false

  constructor(request: AskRequest, headers: string[], lane: AskLaneHooks) {
    const { promise, resolve } = Promise.withResolvers<AskOutcome>()
    this.outcome = promise
    this.#resolve = resolve
    this.#request = request
    this.#lane = lane
    this.dispatchOptions = { path: request.target, method: 'GET', headers }
    this.#timer = this.#startTimer(request.connectionTimeoutMs, { kind: 'dropped', reason: 'no-connection' })
    request.signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** Call this instead of dispatching while the circuit breaker is not closed. */
  drop() {
    this.#end({ kind: 'dropped', reason: 'breaker' })
  }

  abort() {
    this.#end({ kind: 'aborted' })
  }

  /** Call this when the core hangs, on a dispatched request. Ends it unless its response head has arrived. */
  abandon() {
    if (this.#copy === null) this.#end({ kind: 'failed', code: 'core_timeout' })
  }

  onDispatched() {
    this.#dispatchedAt = performance.now()
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#hasEnded) return controller.abort(abortReason)
    clearTimeout(this.#timer)
    this.#timer = this.#startTimer(this.#request.timeoutMs, { kind: 'failed', code: 'core_timeout' })
    assignNextConnection(this)
  }

  onFirstByte() {}

  onHttp10() {
    this.#isHttp10 = true
  }

  onReadBufferEmpty() {}

  onConnectionError() {
    this.#hasConnectionError = true
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, parsed: ParsedHeaders) {
    if (this.#hasEnded || status < 200) return
    try {
      const headers = readResponseHead(controller, status, parsed, this.#isHttp10)
      const receivedAt = performance.now()
      this.#lane.onHead(receivedAt)
      this.#isCloseDelimited = isCloseDelimited(headers)
      this.#copy = new ResponseCopy({ status, headers, dispatchedAt: this.#dispatchedAt, receivedAt })
    } catch {
      this.#end({ kind: 'failed', code: 'core_bad_response' })
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#hasEnded || !this.#copy) return
    this.#copy.add(chunk)
    if (!this.#copy.isTooLong) return
    // Pauses first, as undici does when a handler throws, because a paused parser does not continue with an aborted
    // message.
    controller.pause()
    this.#complete(this.#copy)
  }

  onResponseEnd() {
    const isBroken = this.#hasConnectionError && this.#isCloseDelimited
    if (this.#copy && !isBroken) this.#complete(this.#copy)
    else this.#end({ kind: 'failed', code: 'core_bad_response' })
    this.#lane.release()
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error) {
    if (this.#controller) this.#end({ kind: 'failed', code: 'core_bad_response' })
    else if (isInvalidArgument(error)) this.#end({ kind: 'failed', code: 'bad_request' })
    else {
      this.#lane.onConnectFailed(this.#request)
      this.#end({ kind: 'failed', code: 'core_unavailable' })
    }
    this.#lane.release()
  }

  #startTimer(timeoutMs: number, outcome: AskOutcome) {
    return setTimeout(() => this.#end(outcome), timeoutMs).unref()
  }

  #complete(copy: ResponseCopy) {
    this.#end({ kind: 'completed', response: copy.finish() })
  }

  #end(outcome: AskOutcome) {
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearTimeout(this.#timer)
    this.#request.signal?.removeEventListener('abort', this.#onAbort)
    this.#lane.onEnded(this)
    this.#resolve(outcome)
    // undici ignores this once the response is complete.
    this.#controller?.abort(abortReason)
  }
}

const connections = 4
const maxWaiting = 64

// Connection failures are recorded separately, because they may occur after the request was dropped.
const reachedCore: ReadonlySet<string> = new Set(['core_timeout', 'core_bad_response'])

interface AskLaneOptions {
  readonly connectTimeoutMs: number
  readonly connection?: ConnectionSettings
  readonly breakerState: () => BreakerState
  readonly load: CoreLoad
  /** Called when a response head arrives. `receivedAt` is a time by `performance.now()`. */
  readonly onHead: (receivedAt: number) => void
}

/**
 * The connections for the gateway's own requests. They are few and separate, so these requests cannot burden the core
 * or delay clients. The requests respect the clients' circuit breaker but never open or close it. Their outcomes count
 * towards the core's load.
 */
export const createAskLane = (
  origin: string,
  { connectTimeoutMs, connection, breakerState, load, onHead }: AskLaneOptions,
) => {
  const pool = new Pool(origin, { ...createUndiciOptions(connectTimeoutMs, connection), connections })
  const waiting = new Set<AskedRequest>()
  const active = new Set<AskedRequest>()
  let usedSlots = 0
  let isClosed = false

  const dispatch = (request: AskedRequest) => {
    waiting.delete(request)
    if (breakerState() !== 'closed') return request.drop()
    usedSlots += 1
    active.add(request)
    request.onDispatched()
    pool.dispatch(request.dispatchOptions, request)
  }

  const dispatchWaiting = () => {
    for (const request of waiting) {
      if (usedSlots >= connections) return
      dispatch(request)
    }
  }

  const hooks = {
    onHead,
    onEnded(request: AskedRequest) {
      waiting.delete(request)
      active.delete(request)
    },
    release() {
      usedSlots -= 1
      dispatchWaiting()
    },
    onConnectFailed({ timeoutMs }: AskRequest) {
      if (!isClosed) load.recordFailure(timeoutMs, performance.now())
    },
  }

  const recordLoad = (outcome: AskOutcome, timeoutMs: number) => {
    const now = performance.now()
    if (outcome.kind === 'completed') load.record(outcome.response.timeToHeadMs, now)
    else if (outcome.kind === 'failed' && reachedCore.has(outcome.code)) load.recordFailure(timeoutMs, now)
  }

  return {
    async ask(askRequest: AskRequest, headers: string[]): Promise<AskOutcome> {
      if (isClosed) return { kind: 'dropped', reason: 'closed' }
      if (askRequest.signal?.aborted) return { kind: 'aborted' }
      if (waiting.size >= maxWaiting) return { kind: 'dropped', reason: 'no-connection' }
      const request = new AskedRequest(askRequest, headers, hooks)
      waiting.add(request)
      dispatchWaiting()
      const outcome = await request.outcome
      recordLoad(outcome, askRequest.timeoutMs)
      return outcome
    },
    usage: (): LaneUsage => ({
      open: pool.stats.connected,
      connecting: pool.stats.pending,
      waiting: waiting.size,
      used: usedSlots,
      capacity: connections,
    }),
    /** Call this when the core hangs. Ends the requests that are waiting for the core. */
    abandon() {
      for (const request of [...active]) request.abandon()
    },
    /** Aborts all requests. Resolves once their connections are closed. */
    async close() {
      isClosed = true
      for (const request of [...waiting, ...active]) request.abort()
      await pool.destroy()
    },
  }
}
