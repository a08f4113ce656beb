import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { BodyProgress, type BodyProgressLimits } from '../body-progress.ts'
import { sendContinue } from './expect-continue.ts'

/**
 * The body of a request on its way to the core. undici destroys the stream it is given when the core answers early;
 * this one takes that blow, so that the client's connection survives to carry the answer.
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
  #attached = false

  /**
   * `onProgress` is told when a piece has arrived and when the core takes more after a pause; `clientDeadline` is
   * infinity while the core does not.
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
    // undici destroys it with a reason of its own, which the exchange is told as well.
    this.on('error', () => {})
  }

  /** Whether the next move is the client's: otherwise the core is the one that does not read. */
  get waitsForClient() {
    return this.#progress.isWaiting
  }

  override _read() {
    if (!this.#progress.isWaiting) this.#waitForClient()
    if (this.#attached) {
      this.#incoming.resume()
      return
    }
    this.#attached = true
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
    // What the client still sends is read and thrown away, or the connection would stall behind it.
    this.#incoming.resume()
    callback(error)
  }
}
