import { type CoreResponse, maxCopiedBytes, type ResponseTap } from '../core-response.ts'

interface ResponseHead {
  readonly status: number
  readonly headers: readonly string[]
  /** By `performance.now()`. */
  readonly dispatchedAt: number
  readonly receivedAt: number
}

/** Chunks are views of memory that later reads overwrite, so each is copied immediately. */
export class ResponseCopy {
  readonly #head: ResponseHead
  /** May have room for more than what has arrived; null once the body is too long. */
  #bytes: Buffer | null = Buffer.allocUnsafeSlow(0)
  #length = 0

  constructor(head: ResponseHead) {
    this.#head = head
  }

  get isTooLong() {
    return this.#bytes === null
  }

  add(chunk: Buffer) {
    if (this.#bytes === null) return
    const length = this.#length + chunk.length
    if (length > maxCopiedBytes) {
      this.#bytes = null
      return
    }
    // Doubled when full, so that small chunks do not each cause a copy.
    if (length > this.#bytes.length)
      this.#bytes = this.#resize(this.#bytes, Math.min(maxCopiedBytes, Math.max(length, this.#length * 2)))
    this.#bytes.set(chunk, this.#length)
    this.#length = length
  }

  /** Returns the whole response. Call this once its last byte has arrived. */
  finish(): CoreResponse {
    const { status, headers, dispatchedAt, receivedAt } = this.#head
    const bytes = this.#bytes
    const body = bytes && bytes.length > this.#length ? this.#resize(bytes, this.#length) : bytes
    const timeToHeadMs = receivedAt - dispatchedAt
    return { status, headers, body, timeToHeadMs, durationMs: performance.now() - dispatchedAt }
  }

  passTo(tap: ResponseTap) {
    try {
      tap(this.finish())
    } catch {
      // A tap only observes, so its errors are ignored. Otherwise they would reach undici, which would destroy the
      // connection.
    }
  }

  #resize(bytes: Buffer, length: number) {
    // Not from Node's pool, which other buffers share.
    const resized = Buffer.allocUnsafeSlow(length)
    resized.set(bytes.subarray(0, this.#length))
    return resized
  }
}
