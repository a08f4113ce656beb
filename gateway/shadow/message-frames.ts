/** The file descriptor of the pipe for tasks and results in the child process. Output on stdout cannot disturb it. */
export const taskPipe = 3

const headerBytes = 4

/** A message for the pipe: the length of its payload in four bytes, big-endian, and the payload. */
export const encodeFrame = (payload: Uint8Array): Buffer => {
  const frame = Buffer.allocUnsafe(headerBytes + payload.length)
  frame.writeUInt32BE(payload.length)
  frame.set(payload, headerBytes)
  return frame
}

/** Reads frames from the chunks of a stream. Allocates at most `maxBytes` for a payload, however the chunks are cut. */
export class FrameReader {
  readonly #maxBytes: number
  readonly #header = Buffer.alloc(headerBytes)
  #payload: Buffer | null = null
  #filled = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /**
   * The payloads that this chunk completes.
   *
   * @throws RangeError if a payload is longer than `maxBytes`, before it is read. The stream cannot be read any further.
   */
  *read(chunk: Uint8Array): Generator<Buffer> {
    let rest = chunk
    for (;;) {
      const target = this.#payload ?? this.#header
      const part = rest.subarray(0, target.length - this.#filled)
      target.set(part, this.#filled)
      this.#filled += part.length
      rest = rest.subarray(part.length)
      if (this.#filled < target.length) return
      this.#filled = 0
      const payload = this.#payload
      this.#payload = payload ? null : this.#allocatePayload()
      if (payload) yield payload
    }
  }

  #allocatePayload() {
    const length = this.#header.readUInt32BE()
    if (length > this.#maxBytes) throw new RangeError(`frame of ${length} bytes, at most ${this.#maxBytes}`)
    return Buffer.alloc(length)
  }
}
