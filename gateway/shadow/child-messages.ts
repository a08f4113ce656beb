import { isStackFrame } from '#shared/describe-error.ts'

/** An error without its message, which may contain values of customers. */
export interface TaskFailure {
  readonly name: string
  /** Its first stack frames. */
  readonly at: readonly string[]
}

/** A message of the child process: it accepts tasks, or has the result of one, or the error with which one has failed. */
export type ChildMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: TaskFailure }

const maxFrames = 8
const maxFrameLength = 200

/** Describes an error so that it can be logged and sent. */
export const describeFailure = (error: unknown): TaskFailure => {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error()
  const lines = stack.replace(message, () => '').split('\n')
  const frames = lines.filter(isStackFrame).slice(0, maxFrames)
  return {
    name: /^\w{1,60}Error$/.test(name) ? name : 'Error',
    at: frames.map((frame) => frame.trim().slice(0, maxFrameLength)),
  }
}

// The child is not trusted, and what it sends is logged.
const parseFailure = (failure: unknown): TaskFailure => {
  const { name, at } = Object(failure)
  const frames: readonly unknown[] = Array.isArray(at) ? at.slice(0, maxFrames) : []
  return {
    name: typeof name === 'string' && /^\w{1,60}Error$/.test(name) ? name : 'Error',
    at: frames.flatMap((frame) =>
      typeof frame === 'string' && isStackFrame(`    ${frame}`) ? [frame.slice(0, maxFrameLength)] : [],
    ),
  }
}

/** Returns null for what is not a message. */
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
