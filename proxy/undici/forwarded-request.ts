import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import {
  type CoreFailure,
  type CoreRequest,
  type FailedForward,
  type ForwardMeter,
  type ForwardOutcome,
  isSafe,
} from '../core-request.ts'
import type { ResponseTap } from '../core-response.ts'
import { clientNetworkOf } from '../headers/client-origin.ts'
import {
  clientResponseHeaders,
  coreRequestHeaders,
  isCloseDelimited,
  isEventStream,
} from '../headers/header-rules.ts'
import { endOnHalfClose } from '../node-streams/client-connection.ts'
import { assignNextConnection, type ConnectionUser } from '../node-streams/core-connection.ts'
import { ClientResponse, type ResponseSource } from './client-response.ts'
import type { MonitoredRequest } from './deadline-monitor.ts'
import type { DispatchLane, LaneRequest } from './lane.ts'
import { ResponseCopy } from './response-copy.ts'
import { type ParsedHeaders, readResponseHead } from './response-head.ts'
import type { ForwardingEnvironment } from './transport-undici.ts'
import { isInvalidArgument } from './undici-clients.ts'
import { UploadBody } from './upload-body.ts'

/**
 * How far a forwarded request has come.
 *
 * - `awaiting-connection`: in its lane's queue, or undici is connecting.
 * - `sending-body`: a streamed body is on its way. A slow client has its own deadline.
 * - `awaiting-head`: sent. Without a body it can be sent once more, because the core has returned nothing yet.
 * - `receiving-head`: the core has sent bytes, but not a complete final head.
 * - `streaming`: the client has the response head. From here on, a failure can only truncate the response.
 * - `ended`: the outcome is reported. undici may still call back, and its last call frees the slot in the lane.
 */
type RequestPhase =
  | 'awaiting-connection'
  | 'sending-body'
  | 'awaiting-head'
  | 'receiving-head'
  | 'streaming'
  | 'ended'

interface ForwardingCall {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly coreRequest: CoreRequest
  readonly tap: ResponseTap | undefined
  readonly resolve: (outcome: ForwardOutcome) => void
}

const abortReason = new Error('the forwarded request has ended')

/** One request to the core, with its response written directly to the client. Reports its outcome once. */
export class ForwardedRequest implements LaneRequest, ConnectionUser, ResponseSource, MonitoredRequest {
  deadline: number
  monitorIndex = -1
  longStreamFrom = Number.POSITIVE_INFINITY
  queueEntry: LaneRequest['queueEntry'] = null
  occupancy: LaneRequest['occupancy'] = null
  undiciClient: LaneRequest['undiciClient'] = null
  dispatchedIn: LaneRequest['dispatchedIn'] = null
  readonly clientNetwork: string
  readonly route: string
  readonly #environment: ForwardingEnvironment
  readonly #lane: DispatchLane
  readonly #call: ForwardingCall
  readonly #response: ClientResponse
  readonly #upload: UploadBody | null
  #phase: RequestPhase = 'awaiting-connection'
  /** Null while the request has no connection. Kept after the phase `ended`. */
  #controller: Dispatcher.DispatchController | null = null
  #coreHeaders: readonly string[] = []
  #copy: ResponseCopy | null = null
  /** From this time on, the core is to blame for the wait, unless it is waiting for a streamed body. */
  #dispatchedAt: number
  readonly #meter: ForwardMeter
  #retriesLeft: number
  #hasConnectionError = false
  #isHttp10 = false
  readonly #onClientClosed = () => this.#end({ kind: 'client-gone' })

  constructor(environment: ForwardingEnvironment, lane: DispatchLane, call: ForwardingCall) {
    const { body, bodyStart, retryable, client, route, meter } = call.coreRequest
    this.clientNetwork = clientNetworkOf(client.address)
    this.route = route
    this.#meter = meter ?? { coreMs: undefined, bytesOut: undefined }
    this.#environment = environment
    this.#lane = lane
    this.#call = call
    this.#response = new ClientResponse(call.outgoing, this)
    this.#upload =
      body === 'stream'
        ? new UploadBody(call.incoming, bodyStart, environment.bodyProgress, (clientDeadline) => {
            // While the client is not reading the response, there is no deadline for the core, whatever the client
            // sends.
            if (this.deadline === Number.POSITIVE_INFINITY) return
            if (clientDeadline === null) this.#extendDeadline()
            else this.deadline = clientDeadline
          })
        : null
    this.#retriesLeft = retryable && body === null ? 1 : 0
    this.#dispatchedAt = performance.now()
    this.deadline = this.#dispatchedAt + environment.timeoutMs
    environment.deadlines.add(this)
    call.outgoing.on('close', this.#onClientClosed)
  }

  /** Created on dispatch, so queued requests take less memory. */
  get dispatchOptions(): Dispatcher.DispatchOptions {
    const { incoming, coreRequest } = this.#call
    const { target, method, body } = coreRequest
    const hop = { httpVersion: incoming.httpVersion, viaPseudonym: this.#environment.viaPseudonym }
    const headers = coreRequestHeaders(incoming.rawHeaders, coreRequest, hop)
    if (body !== 'stream') return { path: target, method, headers, body }
    const length = incoming.headers['content-length']
    if (length !== undefined) headers.push('content-length', length)
    return { path: target, method, headers, body: this.#upload }
  }

  start() {
    const state = this.#lane.start(this)
    if (state === 'rejected') this.#failAsBusy()
    if (state === 'queued') this.deadline = performance.now() + this.#environment.queueTimeoutMs
  }

  onDequeued() {
    this.#dispatchedAt = performance.now()
    this.deadline = this.#dispatchedAt + this.#environment.timeoutMs
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#environment.breaker.recordSuccess()
    this.#controller = controller
    if (this.#phase === 'ended') return controller.abort(abortReason)
    // undici may start a request again if its connection closes before use.
    if (this.#phase === 'awaiting-connection') this.#phase = this.#upload ? 'sending-body' : 'awaiting-head'
    assignNextConnection(this)
  }

  onRequestSent() {
    if (this.#phase !== 'sending-body') return
    this.#phase = 'awaiting-head'
    this.#extendDeadline()
  }

  onFirstByte() {
    if (this.#phase === 'awaiting-head') this.#phase = 'receiving-head'
  }

  onHttp10() {
    this.#isHttp10 = true
  }

  onReadBufferEmpty() {
    this.#response.flush()
  }

  onConnectionError() {
    this.#hasConnectionError = true
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, parsed: ParsedHeaders) {
    if (this.#phase === 'ended' || status < 200) return
    const { outgoing, coreRequest } = this.#call
    try {
      const headers = readResponseHead(controller, status, parsed, this.#isHttp10)
      this.#coreHeaders = headers
      if (!isSafe(coreRequest.method) && isEventStream(headers)) endOnHalfClose(outgoing)
      this.#response.writeHead(status, clientResponseHeaders(headers, status, coreRequest, this.#environment))
      this.#phase = 'streaming'
    } catch {
      this.#fail('core_bad_response')
      return
    }
    const now = performance.now()
    this.#environment.hangs.lastHeadAt = now
    const timeToHeadMs = now - this.#dispatchedAt
    this.#meter.coreMs = timeToHeadMs
    this.#meter.bytesOut = 0
    this.deadline = now + this.#environment.timeoutMs
    this.longStreamFrom = now + this.#environment.longStreamAfterMs
    // For an upload, the time to the head mostly depends on the client.
    if (this.#upload === null) {
      this.#environment.load.record(timeToHeadMs, now)
      this.#environment.responseTimes.observe(timeToHeadMs / 1000)
    }
    if (this.#call.tap !== undefined) {
      const head = { status, headers: this.#coreHeaders, dispatchedAt: this.#dispatchedAt, receivedAt: now }
      this.#copy = new ResponseCopy(head)
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#phase === 'ended') return
    this.#extendDeadline()
    this.#meter.bytesOut = (this.#meter.bytesOut ?? 0) + chunk.length
    // Copied before writing, because a written chunk's memory is reused.
    this.#copy?.add(chunk)
    this.#response.write(chunk)
  }

  onClientFull() {
    this.#controller?.pause()
    // There is no deadline while the client is not reading, because only the write-stall timeout of its connection can
    // tell whether it still reads.
    this.deadline = Number.POSITIVE_INFINITY
  }

  onClientDrained() {
    this.#extendDeadline()
    this.#controller?.resume()
  }

  onResponseEnd() {
    if (this.#phase !== 'ended') {
      if (this.#hasConnectionError && isCloseDelimited(this.#coreHeaders)) this.#truncate()
      else {
        this.#response.end()
        this.#end({ kind: 'completed', status: this.#response.status })
        if (this.#call.tap) this.#copy?.passTo(this.#call.tap)
      }
    }
    this.#lane.release(this)
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error) {
    const mayRepeat = this.#phase === 'awaiting-head' && this.#retriesLeft > 0
    if (mayRepeat && !this.#environment.failsOver()) return this.#retry()
    // Recorded even after the deadline has passed, because a missed deadline does not show whether the core accepts
    // connections.
    const isOfConnection = this.#controller === null && error !== abortReason && !isInvalidArgument(error)
    if (isOfConnection) this.#environment.breaker.recordFailure()
    if (this.#phase !== 'ended') this.#failFromError(error)
    this.#lane.releaseFailed(this)
  }

  expire() {
    if (this.queueEntry) this.#failAsBusy()
    else if (this.#phase === 'streaming') this.#truncate()
    else if (this.#phase === 'sending-body' && this.#upload?.waitsForClient) this.#fail('request_timeout')
    else this.#failAsTimeout()
  }

  continueAfterPause(pauseMs: number) {
    this.deadline += pauseMs
    this.#upload?.restartWait()
  }

  get waitsForHead() {
    const phase = this.#phase
    return phase === 'awaiting-connection' || phase === 'awaiting-head' || phase === 'receiving-head'
  }

  /** Why another endpoint may get the request; undefined if this endpoint may have processed it. */
  get resend(): FailedForward['resend'] {
    if (this.#upload !== null || !this.#environment.failsOver()) return undefined
    const mayHaveBeenSent = this.#call.coreRequest.retryable && this.#retriesLeft === 0
    if (this.#phase === 'awaiting-connection') return mayHaveBeenSent ? 'repeatable' : 'unsent'
    return this.#phase === 'awaiting-head' && this.#retriesLeft > 0 ? 'repeatable' : undefined
  }

  /** Call this when the core hangs. If the request is waiting for the core, ends it and frees its slot. */
  abandon() {
    if (!this.waitsForHead) return
    if (this.#phase !== 'awaiting-connection') {
      this.#recordTimeout()
      return this.#failOver({ kind: 'failed', code: 'core_timeout' })
    }
    this.#failOver({ kind: 'failed', code: 'core_unavailable', retryAfterS: 1 })
    this.#lane.cancelConnect(this, abortReason)
  }

  becomeLongStream() {
    if (this.#lane.moveToExtraConnection(this)) this.longStreamFrom = Number.POSITIVE_INFINITY
  }

  #recordTimeout() {
    const now = performance.now()
    if (this.#upload === null) this.#environment.load.recordFailure(now - this.#dispatchedAt, now)
  }

  #failAsTimeout() {
    this.#recordTimeout()
    this.#fail('core_timeout')
  }

  #retry() {
    this.#phase = 'awaiting-connection'
    this.#dispatchedAt = performance.now()
    this.#retriesLeft -= 1
    this.#hasConnectionError = false
    this.#controller = null
    this.#lane.restart(this)
  }

  #failFromError(error: Error) {
    if (this.#phase === 'streaming') this.#truncate()
    else if (this.#phase !== 'awaiting-connection')
      this.#failOver({ kind: 'failed', code: 'core_bad_response' })
    else if (isInvalidArgument(error)) this.#fail('bad_request')
    else this.#failOver({ kind: 'failed', code: 'core_unavailable' })
  }

  #extendDeadline() {
    this.deadline = performance.now() + this.#environment.timeoutMs
  }

  #fail(code: CoreFailure) {
    this.#end({ kind: 'failed', code })
  }

  #failOver(failure: FailedForward) {
    const { resend } = this
    this.#end(resend === undefined ? failure : { ...failure, resend })
  }

  #failAsBusy() {
    this.#end({ kind: 'failed', code: this.#lane.busyCode(this), retryAfterS: 1 })
  }

  #truncate() {
    this.#end({ kind: 'truncated', status: this.#response.status })
    this.#response.truncate()
  }

  #end(outcome: ForwardOutcome) {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    this.#environment.deadlines.delete(this)
    this.#lane.cancel(this)
    // Removed, because a client connection keeps its last response, with its listeners, until the next request.
    this.#call.outgoing.off('close', this.#onClientClosed)
    if (outcome.kind !== 'completed') {
      this.#response.release()
      this.#controller?.abort(abortReason)
      this.#upload?.destroy()
    }
    this.#call.resolve(outcome)
  }
}
