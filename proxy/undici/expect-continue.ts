import type { IncomingMessage, ServerResponse } from 'node:http'

const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/**
 * Remembers that a client waits for `100 Continue` before it sends its body (RFC 9110, section 10.1.1). If it never
 * gets one, Node closes the connection after the response, since what comes next could be the body or another request.
 */
export const deferContinue = (incoming: IncomingMessage, outgoing: ServerResponse) => {
  waiting.set(incoming, outgoing)
}

/** Call this before reading a body. */
export const sendContinue = (incoming: IncomingMessage) => {
  const outgoing = waiting.get(incoming)
  if (!outgoing) return
  waiting.delete(incoming)
  // The error response to an invalid body may have been sent before anything reads the body.
  if (!outgoing.headersSent) outgoing.writeContinue()
}
