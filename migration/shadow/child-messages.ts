import { isStackFrame } from '#shared/describe-error.ts'

/** The child's pipe for tasks and results, separate from stdout so that other output cannot corrupt messages. */
export const taskPipe = 3

const headerBytes = 4

/** Encodes a message for the pipe: the payload's length in four bytes, big-endian, then the payload. */
export const encodeFrame = (payload: Uint8Array): Buffer => {
  const frame = Buffer.allocUnsafe(headerBytes + payload.length)
  frame.writeUInt32BE(payload.length)
  frame.set(payload, headerBytes)
  return frame
}

/** Reads frames from a stream, however it is split into chunks. Allocates at most `maxBytes` per payload. */
export class FrameReader {
  readonly #maxBytes: number
  readonly #header = Buffer.alloc(headerBytes)
  #payload: Buffer | null = null
  #filled = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /**
   * Yields the payloads that this chunk completes. @throws RangeError before reading a payload that is longer than
   * `maxBytes`. After that, the reader is unusable.
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
    if (length > this.#maxBytes) throw new RangeError(`frame of ${length} bytes exceeds ${this.#maxBytes}`)
    return Buffer.alloc(length)
  }
}

/** An error without its message, because the message may contain customers' values. */
export interface TaskFailure {
  readonly name: string
  readonly at: readonly string[]
}

export type ChildMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: TaskFailure }

const toErrorName = (name: unknown) =>
  typeof name === 'string' && /^\w{1,60}Error$/.test(name) ? name : 'Error'

const maxFrames = 8
const maxFrameLength = 200

export const selectFrames = (lines: readonly string[]) =>
  lines
    .filter(isStackFrame)
    .slice(0, maxFrames)
    .map((frame) => frame.trim().slice(0, maxFrameLength))

/** Describes an error, leaving out anything that must not be logged or sent. */
export const describeFailure = (error: unknown): TaskFailure => {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error()
  return {
    name: toErrorName(name),
    at: selectFrames(stack.replace(message, () => '').split('\n')),
  }
}

// Checked because what the child sends is logged, and the child is not trusted.
const parseFailure = (failure: unknown): TaskFailure => {
  const { name, at } = Object(failure)
  const frames: readonly unknown[] = Array.isArray(at) ? at.slice(0, maxFrames) : []
  return {
    name: toErrorName(name),
    at: frames.flatMap((frame) =>
      typeof frame === 'string' && isStackFrame(`    ${frame}`) ? [frame.slice(0, maxFrameLength)] : [],
    ),
  }
}

export const parseChildMessage = (payload: Buffer): ChildMessage | null => {
  try {
    const message: unknown = JSON.parse(payload.toString())
    if (typeof message !== 'object' || message === null) return null
    if ('ready' in message) return { kind: 'ready' }
    if (!('id' in message && typeof message.id === 'number')) return null
    const { id } = message
    if ('failure' in message) return { kind: 'failure', id, failure: parseFailure(message.failure) }
    return { kind: 'result', id, result: 'result' in message ? message.result : undefined }
  } catch {
    return null
  }
}
