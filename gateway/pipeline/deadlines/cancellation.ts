import { ClientGoneError } from '../../edge/client-gone-error.ts'
import type { RequestContext } from '../../request/context.ts'

/** Cancels the work of a stream; the reason is its error. */
export interface Cancellation {
  readonly signal: AbortSignal
  cancel(reason: Error): void
}

/** Creates the cancellation of a request, which its client causes by disconnecting. */
export const createCancellation = (context: RequestContext): Cancellation => {
  const controller = new AbortController()
  context.onDisconnect(() => controller.abort(new ClientGoneError()))
  return { signal: controller.signal, cancel: (reason) => controller.abort(reason) }
}
