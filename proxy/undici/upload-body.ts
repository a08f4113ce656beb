import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { BodyProgress, type BodyProgressLimits } from '../body-progress.ts'
import { sendContinue } from './expect-continue.ts'

/**
 * The body of a request on its way to the core. undici destroys the body stream when the core responds early; that it
 * destroys this stream and not `incoming` leaves the client's connection open for the response.
 */
export class UploadBody extends Readable {
  readonly #incoming: IncomingMessage
  readonly #progress: BodyProgress
  readonly #onProgress: (now: number, clientDeadline: number) => void
  readonly #onData = (chunk: Buffer) => {
    const now = performance.now()
    this.#progress.receive(chunk.length, now)
    if (!this.push(chunk)) {
      this.#incoming.pause()
      this.#progress.pause(now)
    }
    this.#onProgress(now, this.#progress.deadline)
  }
  readonly #onEnd = () => {
    this.#progress.pause(performance.now())
    this.push(null)
  }
  #isAttached = false

  /**
   * `onProgress` is called when a chunk has arrived and when the core reads again after a pause; `clientDeadline` is
   * infinity while the core does not read.
   */
  constructor(
    incoming: IncomingMessage,
    limits: BodyProgressLimits,
    onProgress: (now: number, clientDeadline: number) => void,
  ) {
    super({ highWaterMark: 64 * 1024 })
    this.#incoming = incoming
    this.#progress = new BodyProgress(limits)
    this.#onProgress = onProgress
    // undici destroys it with an error that it also reports to the request.
    this.on('error', () => {})
  }

  /** Whether more of the body has to come from the client; false while the core does not read. */
  get waitsForClient() {
    return this.#progress.isWaiting
  }

  override _read() {
    if (!this.#progress.isWaiting) this.#waitForClient()
    if (this.#isAttached) {
      this.#incoming.resume()
      return
    }
    this.#isAttached = true
    sendContinue(this.#incoming)
    this.#incoming.on('data', this.#onData).on('end', this.#onEnd)
  }

  #waitForClient() {
    const now = performance.now()
    this.#progress.resume(now)
    this.#onProgress(now, this.#progress.deadline)
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void) {
    this.#incoming.off('data', this.#onData).off('end', this.#onEnd)
    // What the client still sends is read and dropped, or it would block the requests behind it on the connection.
    this.#incoming.resume()
    callback(error)
  }
}
