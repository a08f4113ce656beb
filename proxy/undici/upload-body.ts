import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { BodyProgress, type BodyProgressLimits } from '../body-progress.ts'
import type { BodyStart } from '../core-request.ts'
import { sendContinue } from '../node-streams/client-connection.ts'

type OnUploadProgress = (clientDeadline: number | null) => void

/**
 * A request body on its way to the core. undici destroys its body stream when the core responds early. Destroying this
 * stream instead of `incoming` keeps the client's connection open for the response.
 */
export class UploadBody extends Readable {
  readonly #incoming: IncomingMessage
  readonly #start: BodyStart | null
  readonly #progress: BodyProgress
  readonly #onProgress: OnUploadProgress
  readonly #onData = (chunk: Buffer) => {
    this.#progress.receive(chunk.length, performance.now())
    if (!this.push(chunk)) this.#incoming.pause()
    if (this.waitsForClient) this.#onProgress(this.#progress.deadline)
  }
  readonly #onEnd = () => {
    this.#hasEnded = true
    this.#progress.pause(performance.now())
    this.push(null)
  }
  #isAttached = false
  #hasEnded = false

  /**
   * `onProgress` gets the client's deadline when a chunk arrives or the core reads again, and null when the core stops
   * reading.
   */
  constructor(
    incoming: IncomingMessage,
    start: BodyStart | null,
    limits: BodyProgressLimits,
    onProgress: OnUploadProgress,
  ) {
    super({ highWaterMark: 64 * 1024 })
    this.#incoming = incoming
    this.#start = start
    this.#progress = start?.progress ?? new BodyProgress(limits)
    this.#progress.pause(performance.now())
    this.#onProgress = onProgress
    // Ignores the error with which undici destroys this stream, because undici also reports it to the request.
    this.on('error', () => {})
    // undici pauses this stream while the core's connection is full. While it is paused, only the core can be late;
    // otherwise, only the client can.
    this.on('pause', () => this.#waitForCore())
    this.on('resume', () => this.#waitForClient())
  }

  /** Whether the client owes more of the body; false while the core is not reading. */
  get waitsForClient() {
    return this.#progress.isWaiting
  }

  /** Call this after the process was paused. It has not read what the client sent meanwhile. */
  restartWait() {
    this.#progress.restartWait(performance.now())
  }

  override _read() {
    if (this.#pushStart()) return
    if (!this.#isAttached) {
      this.#isAttached = true
      sendContinue(this.#incoming)
      // The chunk that made the body too long to buffer may have been the last. In that case, `end` has already been
      // emitted.
      if (this.#incoming.readableEnded) return this.#onEnd()
      this.#incoming.on('data', this.#onData).on('end', this.#onEnd)
      this.#waitForClient()
    }
    this.#incoming.resume()
  }

  #pushStart() {
    const chunk = this.#start?.chunks.shift()
    if (!chunk) return false
    if (this.#start?.chunks.length === 0) this.#start.release()
    this.push(chunk)
    return true
  }

  #waitForCore() {
    this.#progress.pause(performance.now())
    this.#onProgress(null)
  }

  #waitForClient() {
    if (!this.#isAttached || this.#hasEnded || this.isPaused()) return
    this.#progress.resume(performance.now())
    this.#onProgress(this.#progress.deadline)
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void) {
    this.#incoming.off('data', this.#onData).off('end', this.#onEnd)
    if (this.#start) this.#start.chunks.length = 0
    this.#start?.release()
    // Reads and drops what the client still sends. Otherwise it would block the requests behind it.
    this.#incoming.resume()
    callback(error)
  }
}
