// docs/decisions/0014-request-body-limits.md explains why this keeps blocks, not a list of chunks or one growing
// buffer.
import { ApiError } from '#contracts/errors.ts'
import type { BodyReservation } from './body-budget.ts'

interface BodyBufferOptions {
  readonly maxBytes: number
  readonly expectedBytes?: number
  readonly reservation: BodyReservation
}

const noBytes = new Uint8Array(0)
const maxBlockBytes = 65_536
// Shorter chunks are copied: a typed array costs hundreds of bytes on top of its contents.
const copyBelowBytes = 4096

// A view of a pooled buffer would keep the whole pool in memory.
const isWholeBuffer = ({ buffer, byteLength }: Uint8Array) => buffer.byteLength === byteLength

/**
 * Reserves memory before allocating it, at most twice the bytes received. Only `join` needs more: it briefly holds the
 * body a second time.
 */
export class BodyBuffer {
  readonly #options: BodyBufferOptions
  // every block but the last is full
  readonly #blocks: Uint8Array[] = []
  #capacity = 0
  #length = 0

  constructor(options: BodyBufferOptions) {
    this.#options = options
  }

  canHold({ length }: Uint8Array) {
    return this.#length + length <= this.#options.maxBytes
  }

  /** @throws ApiError `body_too_large`, `gateway_busy` */
  append(chunk: Uint8Array) {
    if (!this.canHold(chunk)) throw new ApiError('body_too_large')
    const rest = this.#fill(chunk)
    if (rest.length === 0) return
    const storesWithoutCopy = isWholeBuffer(rest) && (rest.length >= copyBelowBytes || this.#length === 0)
    const size = storesWithoutCopy ? rest.length : this.#sizeFor(rest)
    this.#options.reservation.resize(this.#capacity + size)
    const block = storesWithoutCopy ? rest : new Uint8Array(size)
    if (!storesWithoutCopy) block.set(rest)
    this.#blocks.push(block)
    this.#capacity += size
    this.#length += rest.length
  }

  /** Returns the whole body. Call it once, after the last chunk: it releases the blocks. */
  join(): Uint8Array {
    const [only = noBytes, ...more] = this.#blocks
    if (more.length === 0 && only.length === this.#length) return only
    const whole = new Uint8Array(this.#length)
    let offset = 0
    for (const block of this.#blocks) {
      whole.set(block.subarray(0, this.#length - offset), offset)
      offset += block.length
    }
    this.#blocks.length = 0
    this.#options.reservation.resize(this.#length)
    return whole
  }

  /** Returns the body so far in pieces, without copying. Call it once: it releases the blocks. */
  split(): Uint8Array[] {
    const blocks = this.#blocks.splice(0)
    const last = blocks.pop()
    if (last) blocks.push(last.subarray(0, last.length - (this.#capacity - this.#length)))
    return blocks
  }

  #fill(chunk: Uint8Array): Uint8Array {
    const free = this.#capacity - this.#length
    const last = this.#blocks.at(-1)
    if (!last || free === 0) return chunk
    last.set(chunk.subarray(0, free), last.length - free)
    this.#length += Math.min(free, chunk.length)
    return chunk.subarray(free)
  }

  // A new block is as long as the body so far, up to `maxBlockBytes`, so short bodies get small blocks.
  #sizeFor({ length }: Uint8Array) {
    const { maxBytes, expectedBytes = maxBytes } = this.#options
    const left = expectedBytes - this.#length
    return Math.max(length, Math.min(maxBlockBytes, this.#length, left))
  }
}
