import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import type { BodyProgressLimits } from '../body-progress.ts'
import type { CircuitBreaker } from '../circuit-breaker.ts'
import { clientResponseHeaders, isCloseDelimited, isKnownCoding } from '../headers/header-rules.ts'
import { type ParsedHeaders, readRawHeaders } from '../headers/raw-headers.ts'
import { assignNextConnection, type ConnectionUser } from '../node-streams/core-connection.ts'
import type { CoreFailure, ForwardOutcome, UpstreamRequest } from '../upstream-request.ts'
import { ClientResponse, type ResponseSource } from './client-response.ts'
import type { DeadlineMonitor, MonitoredRequest } from './deadline-monitor.ts'
import type { DispatchLane, LaneRequest } from './dispatch-lane.ts'
import { UploadBody } from './upload-body.ts'

/** What all exchanges of one transport share. */
export interface ForwardingEnvironment {
  readonly coreOrigin: string
  readonly breaker: CircuitBreaker
  readonly watch: DeadlineMonitor
  /** Until the core has begun to answer, and for each pause inside its answer. */
  readonly timeoutMs: number
  /** How slowly a client may send a body that is streamed. */
  readonly bodyProgress: BodyProgressLimits
}

/** One call of the transport. */
export interface ForwardingCall {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly exchange: UpstreamRequest
  readonly headers: string[]
  readonly settle: (outcome: ForwardOutcome) => void
}

const givenUp = new Error('the exchange was given up')

// RFC 9112 section 6.1: HTTP/1.0 knows no transfer codings.
const isFramedSoundly = ({ 'transfer-encoding': coding }: ParsedHeaders, isHttp10: boolean) =>
  isHttp10 ? coding === undefined : isKnownCoding(coding)

const isOurArgument = (error: Error) => 'code' in error && error.code === 'UND_ERR_INVALID_ARG'

/**
 * One request to the core and its answer, written straight to the client. The outcome is settled once; undici may
 * call back after that, and its last call frees the place in the lane.
 */
export class ForwardedRequest implements LaneRequest, ConnectionUser, ResponseSource, MonitoredRequest {
  deadline: number
  place = -1
  queueEntry: LaneRequest['queueEntry'] = null
  readonly dispatchOptions: Dispatcher.DispatchOptions
  readonly #leg: ForwardingEnvironment
  readonly #lane: DispatchLane
  readonly #call: ForwardingCall
  readonly #answer: ClientResponse
  readonly #upload: UploadBody | null
  #controller: Dispatcher.DispatchController | null = null
  #headers: readonly string[] = []
  #settled = false
  #started = false
  #uploading: boolean
  #heardBack = false
  #reset = false
  #isHttp10 = false
  #retried = false
  #silences = false

  constructor(leg: ForwardingEnvironment, lane: DispatchLane, call: ForwardingCall) {
    const { target, method, body } = call.exchange
    this.#leg = leg
    this.#lane = lane
    this.#call = call
    this.#answer = new ClientResponse(call.outgoing, this)
    this.#uploading = body === 'stream'
    this.#upload = this.#uploading
      ? new UploadBody(call.incoming, leg.bodyProgress, (now, clientDeadline) => {
          // While an answer is not taken, what the client sends is no reason to expect more of the core.
          if (this.deadline === Number.POSITIVE_INFINITY) return
          this.deadline = Math.min(now + leg.bodyProgress.pauseTimeoutMs, clientDeadline)
        })
      : null
    this.dispatchOptions = {
      path: target,
      method,
      headers: call.headers,
      body: body === 'stream' ? this.#upload : body,
    }
    this.deadline = performance.now() + leg.timeoutMs
    leg.watch.add(this)
    call.outgoing.on('close', () => this.#end({ kind: 'client-gone' }))
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
    else assignNextConnection(this)
  }

  onRequestSent() {
    if (!this.#uploading) return
    this.#uploading = false
    if (!this.#answer.begun) this.#allow(this.#leg.timeoutMs)
  }

  receivedBytes() {
    this.#heardBack = true
  }

  answeredInHttp10() {
    this.#isHttp10 = true
  }

  caughtUp() {
    this.#answer.flush()
  }

  connectionReset() {
    this.#reset = true
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, parsed: ParsedHeaders) {
    if (this.#settled || status < 200) return
    const { responseHeaders: stamp, client, replacesCors, replacedHeaders } = this.#call.exchange
    const hop = { status, stamp, coreOrigin: this.#leg.coreOrigin, client, replacesCors, replacedHeaders }
    try {
      if (status > 599) throw new RangeError('no such status')
      if (!isFramedSoundly(parsed, this.#isHttp10)) throw new TypeError('the end of the answer is unknown')
      this.#headers = readRawHeaders(controller, parsed)
      this.#answer.begin(status, clientResponseHeaders(this.#headers, hop))
    } catch {
      this.#fail('core_bad_response')
      return
    }
    this.#allow(this.#leg.timeoutMs)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#settled) return
    this.#allow(this.#leg.timeoutMs)
    this.#answer.write(chunk)
  }

  clientIsFull() {
    this.#controller?.pause()
    this.#silence()
    // The client's connection is watched where it was accepted: only there it shows that some of it is taken.
    this.deadline = Number.POSITIVE_INFINITY
  }

  clientDrained() {
    this.#listen()
    this.#allow(this.#leg.timeoutMs)
    this.#controller?.resume()
  }

  onResponseEnd() {
    if (!this.#settled) {
      if (this.#reset && isCloseDelimited(this.#headers)) this.#truncate()
      else {
        this.#answer.end()
        this.#end({ kind: 'answered', status: this.#answer.status })
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
    // Also where the deadline came first: it tells nothing of whether the core takes connections.
    if (!this.#started && !isOurArgument(error)) this.#leg.breaker.failed()
    if (!this.#settled) this.#broke(error)
    this.#lane.release()
  }

  expire() {
    if (this.#answer.begun) this.#truncate()
    else this.#fail(this.#uploading && this.#upload?.waitsForClient ? 'request_timeout' : 'core_timeout')
  }

  #mayRetry() {
    const { retryable, body } = this.#call.exchange
    const untouched = this.#started && !this.#heardBack && !this.#retried
    return !this.#settled && untouched && retryable && body === null
  }

  #broke(error: Error) {
    if (this.#answer.begun) this.#truncate()
    else if (this.#started) this.#fail('core_bad_response')
    else if (isOurArgument(error)) this.#fail('bad_request')
    else this.#fail('core_unavailable')
  }

  // What a client sends while it takes nothing would pass for some of the answer that it takes. Whoever else has stopped
  // reading from it, for it sends too far ahead, must not find it read again.
  #silence() {
    const { complete, socket } = this.#call.incoming
    if (!complete || socket.isPaused()) return
    this.#silences = true
    socket.pause()
  }

  #listen() {
    if (!this.#silences) return
    this.#silences = false
    this.#call.incoming.socket.resume()
  }

  #allow(milliseconds: number) {
    this.deadline = performance.now() + milliseconds
  }

  #fail(code: CoreFailure) {
    this.#end({ kind: 'failed', code })
  }

  #truncate() {
    this.#end({ kind: 'truncated', status: this.#answer.status })
    this.#answer.breakOff()
  }

  #end(outcome: ForwardOutcome) {
    if (this.#settled) return
    this.#settled = true
    this.#leg.watch.delete(this)
    this.#lane.cancel(this)
    this.#listen()
    if (outcome.kind !== 'answered') {
      this.#answer.release()
      this.#controller?.abort(givenUp)
      this.#upload?.destroy()
    }
    this.#call.settle(outcome)
  }
}
