import type { IncomingMessage, ServerResponse } from 'node:http'

const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/**
 * Records that a client sends its body only after a `100 Continue` (RFC 9110, section 10.1.1). If it never gets one, Node
 * closes its connection after the response, as either a body or a request could come next.
 */
export const deferContinue = (incoming: IncomingMessage, outgoing: ServerResponse) => {
  waiting.set(incoming, outgoing)
}

/** To be called before a body is read: sends `100 Continue` to a client that waits for it. */
export const sendContinue = (incoming: IncomingMessage) => {
  const outgoing = waiting.get(incoming)
  if (!outgoing) return
  waiting.delete(incoming)
  // The error response to a body that is not valid may have been sent before anything reads it.
  if (!outgoing.headersSent) outgoing.writeContinue()
}
