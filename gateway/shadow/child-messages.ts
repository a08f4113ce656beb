/** A message of the child process: it accepts tasks, or has the result of one. */
export type ChildMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }

/** Returns null for what is not a message. */
export const parseChildMessage = (payload: Buffer): ChildMessage | null => {
  try {
    const message: unknown = JSON.parse(payload.toString())
    if (typeof message !== 'object' || message === null) return null
    if ('ready' in message) return { kind: 'ready' }
    if (!('id' in message && typeof message.id === 'number')) return null
    return { kind: 'result', id: message.id, result: 'result' in message ? message.result : undefined }
  } catch {
    return null
  }
}
