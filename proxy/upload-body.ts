import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { askForBody } from './ask-for-body.ts'

/**
 * The body of a request on its way to the core. undici destroys the stream it is given when the core answers early;
 * this one takes that blow, so that the client's connection survives to carry the answer.
 */
export class UploadBody extends Readable {
  readonly #incoming: IncomingMessage
  readonly #onProgress: () => void
  readonly #onData = (chunk: Buffer) => {
    this.#onProgress()
    if (!this.push(chunk)) this.#incoming.pause()
  }
  readonly #onEnd = () => {
    this.push(null)
  }
  #attached = false

  constructor(incoming: IncomingMessage, onProgress: () => void) {
    super({ highWaterMark: 64 * 1024 })
    this.#incoming = incoming
    this.#onProgress = onProgress
    // undici destroys it with a reason of its own, which the exchange is told as well.
    this.on('error', () => {})
  }

  /** Whether the next move is the client's: otherwise the core is the one that does not read. */
  get waitsForClient() {
    return this.#attached && !this.#incoming.isPaused()
  }

  override _read() {
    if (this.#attached) {
      this.#incoming.resume()
      return
    }
    this.#attached = true
    askForBody(this.#incoming)
    this.#incoming.on('data', this.#onData).on('end', this.#onEnd)
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void) {
    this.#incoming.off('data', this.#onData).off('end', this.#onEnd)
    // What the client still sends is read and thrown away, or the connection would stall behind it.
    this.#incoming.resume()
    callback(error)
  }
}
