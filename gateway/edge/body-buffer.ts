// Optimized: see "Abuse" in bench/README.md.
import { ApiError } from '#contracts/errors.ts'
import type { BodyReservation } from './body-budget.ts'

interface BodyBufferOptions {
  readonly maxBytes: number
  /** The announced length. */
  readonly expectedBytes?: number
  readonly reservation: BodyReservation
}

const noBytes = new Uint8Array(0)
const mostOfBlock = 65_536
// A shorter piece costs less to copy than it costs to keep: an array takes hundreds of bytes beside its own.
const shortBytes = 4096

const ownsItsMemory = ({ buffer, byteLength }: Uint8Array) => buffer.byteLength === byteLength

/**
 * A body while it arrives. All of its memory is reserved before it is kept: at most twice of what has arrived. Long
 * pieces are kept as they are and short ones are copied into blocks, lest single bytes take hundreds each.
 */
export class BodyBuffer {
  readonly #options: BodyBufferOptions
  // All of them are full but the last.
  readonly #blocks: Uint8Array[] = []
  #capacity = 0
  #length = 0

  constructor(options: BodyBufferOptions) {
    this.#options = options
  }

  /** @throws ApiError `body_too_large`, `gateway_busy` */
  append(chunk: Uint8Array) {
    if (this.#length + chunk.length > this.#options.maxBytes) throw new ApiError('body_too_large')
    const rest = this.#fill(chunk)
    if (rest.length === 0) return
    const isKept = ownsItsMemory(rest) && (rest.length >= shortBytes || this.#length === 0)
    const size = isKept ? rest.length : this.#sizeFor(rest)
    this.#options.reservation.resize(this.#capacity + size)
    const block = isKept ? rest : new Uint8Array(size)
    if (!isKept) block.set(rest)
    this.#blocks.push(block)
    this.#capacity += size
    this.#length += rest.length
  }

  /** The whole body, to be called once it is complete. */
  join(): Uint8Array {
    const [only = noBytes, ...more] = this.#blocks
    if (more.length === 0 && only.length === this.#length) return only
    const whole = new Uint8Array(this.#length)
    let at = 0
    for (const block of this.#blocks) {
      whole.set(block.subarray(0, this.#length - at), at)
      at += block.length
    }
    this.#blocks.length = 0
    this.#options.reservation.resize(this.#length)
    return whole
  }

  /** Copies what fits into the last block, and answers the rest. */
  #fill(chunk: Uint8Array): Uint8Array {
    const free = this.#capacity - this.#length
    const last = this.#blocks.at(-1)
    if (!last || free === 0) return chunk
    last.set(chunk.subarray(0, free), last.length - free)
    this.#length += Math.min(free, chunk.length)
    return chunk.subarray(free)
  }

  // As much again as there is, so that a short body has small blocks.
  #sizeFor({ length }: Uint8Array) {
    const { maxBytes, expectedBytes = maxBytes } = this.#options
    const left = expectedBytes - this.#length
    return Math.max(length, Math.min(mostOfBlock, this.#length, left))
  }
}
