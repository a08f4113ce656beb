import { ApiError } from '#contracts/errors.ts'
import type { BodyReservation } from './body-budget.ts'

interface BodyBufferOptions {
  readonly maxBytes: number
  /** The announced length. */
  readonly expectedBytes?: number
  readonly reservation: BodyReservation
}

const noBytes = new Uint8Array(0)

const ownsItsMemory = ({ buffer, byteLength }: Uint8Array) => buffer.byteLength === byteLength

/**
 * A body while it arrives. Its memory grows with what has arrived and is reserved before it is allocated. Pieces are
 * copied into it, because a list of them would take hundreds of bytes for each of a client that sends single bytes.
 */
export class BodyBuffer {
  readonly #options: BodyBufferOptions
  #bytes: Uint8Array = noBytes
  #length = 0

  constructor(options: BodyBufferOptions) {
    this.#options = options
  }

  /** @throws ApiError `body_too_large`, `gateway_busy` */
  append(chunk: Uint8Array) {
    const { maxBytes, reservation } = this.#options
    const length = this.#length + chunk.length
    if (length > maxBytes) throw new ApiError('body_too_large')
    if (this.#length === 0 && ownsItsMemory(chunk)) {
      reservation.resize(length)
      this.#bytes = chunk
    } else {
      if (length > this.#bytes.length) this.#grow(length)
      this.#bytes.set(chunk, this.#length)
    }
    this.#length = length
  }

  /** What has arrived so far. */
  get bytes(): Uint8Array {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#length)
  }

  #grow(neededBytes: number) {
    const { maxBytes, expectedBytes = maxBytes, reservation } = this.#options
    const capacity = Math.max(neededBytes, Math.min(expectedBytes, this.#bytes.length * 2))
    reservation.resize(capacity)
    const grown = new Uint8Array(capacity)
    grown.set(this.bytes)
    this.#bytes = grown
  }
}
