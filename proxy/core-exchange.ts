import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import type { CircuitBreaker } from './circuit-breaker.ts'
import { type ConnectionUser, claimConnection } from './core-connection.ts'
import type { DispatchLane, LaneRequest } from './dispatch-lane.ts'
import type { CoreFailure, Exchange, ForwardOutcome } from './exchange.ts'
import { clientResponseHeaders, isCloseDelimited } from './header-rules.ts'
import type { ProgressWatch, Watched } from './progress-watch.ts'
import { rawHeadersOf } from './raw-headers.ts'
import { UploadBody } from './upload-body.ts'

/** What all exchanges of one transport share. */
export interface CoreLeg {
  readonly coreOrigin: string
  readonly breaker: CircuitBreaker
  readonly watch: ProgressWatch
  /** Until the core has begun to answer, and for each pause inside its answer. */
  readonly timeoutMs: number
  /** For each pause of a client that sends a body or takes an answer. */
  readonly clientStallMs: number
}

const givenUp = new Error('the exchange was given up')

const isOurArgument = (error: Error) => 'code' in error && error.code === 'UND_ERR_INVALID_ARG'

/**
 * One request to the core and its answer, written straight to the client. The outcome is settled once; undici may
 * call back after that, and its last call frees the place in the lane.
 */
export class CoreExchange implements LaneRequest, ConnectionUser, Watched {
  deadline: number
  place = -1
  readonly dispatchOptions: Dispatcher.DispatchOptions
  readonly #leg: CoreLeg
  readonly #lane: DispatchLane
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  readonly #exchange: Exchange
  readonly #settle: (outcome: ForwardOutcome) => void
  readonly #upload: UploadBody | null
  readonly #onClientClose = () => this.#end({ kind: 'client-gone' })
  #onDrain: (() => void) | null = null
  #controller: Dispatcher.DispatchController | null = null
  #headers: readonly string[] | null = null
  #status = 0
  #settled = false
  #started = false
  #retried = false
  #uploading: boolean
  #heardBack = false
  #reset = false
  #wroteBody = false

  constructor(
    leg: CoreLeg,
    lane: DispatchLane,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    exchange: Exchange,
    headers: string[],
    settle: (outcome: ForwardOutcome) => void,
  ) {
    this.#leg = leg
    this.#lane = lane
    this.#incoming = incoming
    this.#outgoing = outgoing
    this.#exchange = exchange
    this.#settle = settle
    this.#uploading = exchange.body === 'stream'
    this.#upload = this.#uploading ? new UploadBody(incoming, () => this.#allow(leg.clientStallMs)) : null
    this.dispatchOptions = {
      path: exchange.target,
      method: exchange.method,
      headers,
      body: exchange.body === 'stream' ? this.#upload : exchange.body,
    }
    this.deadline = performance.now() + leg.timeoutMs
    leg.watch.add(this)
    outgoing.on('close', this.#onClientClose)
  }

  get wanted() {
    return !this.#settled
  }

  /** The lane and its queue are full. */
  refuse() {
    this.#end({ kind: 'failed', code: 'core_unavailable', retryAfterS: 1 })
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#leg.breaker.succeeded()
    this.#controller = controller
    this.#started = true
    if (this.#settled) controller.abort(givenUp)
    else claimConnection(this)
  }

  onRequestSent() {
    if (!this.#uploading) return
    this.#uploading = false
    if (this.#status === 0) this.#allow(this.#leg.timeoutMs)
  }

  receivedBytes() {
    this.#heardBack = true
  }

  connectionReset() {
    this.#reset = true
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number) {
    if (this.#settled || status < 200) return
    try {
      if (status > 599) throw new RangeError('no such status')
      this.#headers = rawHeadersOf(controller)
      const { stamp, client, replacesCors } = this.#exchange
      const hop = { status, stamp, coreOrigin: this.#leg.coreOrigin, client, replacesCors }
      this.#outgoing.writeHead(status, clientResponseHeaders(this.#headers, hop))
    } catch {
      this.#fail('core_bad_response')
      return
    }
    this.#status = status
    this.#allow(this.#leg.timeoutMs)
    process.nextTick(flushHead, this)
  }

  /** Sends a head that no body has followed at once, so that a client sees an event stream open. */
  flushHead() {
    if (!this.#settled && !this.#wroteBody) this.#outgoing.flushHeaders()
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#settled) return
    this.#wroteBody = true
    if (this.#outgoing.write(chunk)) {
      this.#allow(this.#leg.timeoutMs)
      return
    }
    controller.pause()
    this.#allow(this.#leg.clientStallMs)
    if (this.#onDrain) return
    this.#onDrain = () => {
      this.#allow(this.#leg.timeoutMs)
      controller.resume()
    }
    this.#outgoing.on('drain', this.#onDrain)
  }

  onResponseEnd() {
    if (!this.#settled) {
      if (this.#reset && this.#headers && isCloseDelimited(this.#headers)) this.#truncate()
      else {
        this.#outgoing.end()
        this.#end({ kind: 'answered', status: this.#status })
      }
    }
    this.#lane.release()
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error) {
    if (this.#mayRetry()) {
      this.#retried = true
      this.#started = false
      this.#controller = null
      this.#lane.restart(this)
      return
    }
    if (!this.#settled) this.#broke(error)
    this.#lane.release()
  }

  expire() {
    if (this.#status !== 0) {
      if (this.#controller?.paused) this.#outgoing.destroy()
      else this.#truncate()
    } else this.#fail(this.#uploading && this.#upload?.waitsForClient ? 'request_timeout' : 'core_timeout')
  }

  #mayRetry() {
    return (
      !this.#settled &&
      this.#started &&
      !this.#heardBack &&
      !this.#retried &&
      this.#exchange.retryable &&
      this.#exchange.body === null
    )
  }

  #broke(error: Error) {
    if (this.#status !== 0) this.#truncate()
    else if (this.#started) this.#fail('core_bad_response')
    else if (isOurArgument(error)) this.#fail('bad_request')
    else {
      this.#leg.breaker.failed()
      this.#fail('core_unavailable')
    }
  }

  #allow(milliseconds: number) {
    this.deadline = performance.now() + milliseconds
  }

  #fail(code: CoreFailure) {
    this.#end({ kind: 'failed', code })
  }

  // Without a length or chunks (HTTP/1.0) an orderly close would look like the end of the answer.
  #truncate() {
    const { socket } = this.#outgoing
    this.#end({ kind: 'truncated', status: this.#status })
    if (this.#incoming.httpVersionMinor === 0) socket?.resetAndDestroy()
    else this.#outgoing.destroy()
  }

  #end(outcome: ForwardOutcome) {
    if (this.#settled) return
    this.#settled = true
    this.#leg.watch.delete(this)
    this.#outgoing.off('close', this.#onClientClose)
    if (this.#onDrain) this.#outgoing.off('drain', this.#onDrain)
    if (outcome.kind !== 'answered') {
      this.#controller?.abort(givenUp)
      this.#upload?.destroy()
    }
    this.#settle(outcome)
  }
}

const flushHead = (exchange: CoreExchange) => exchange.flushHead()
