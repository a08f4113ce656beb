import type { IncomingMessage, ServerResponse } from 'node:http'

interface Waiting {
  readonly outgoing: ServerResponse
  readonly keepAlive: boolean
}

const waiting = new WeakMap<IncomingMessage, Waiting>()

/**
 * Notes a client that sends its body only after a `100 Continue` (RFC 9110, section 10.1.1). Until it gets one its
 * connection counts as not reusable: after a final answer nobody could tell whether a body or a request comes next.
 */
export const awaitContinue = (incoming: IncomingMessage, outgoing: ServerResponse) => {
  waiting.set(incoming, { outgoing, keepAlive: outgoing.shouldKeepAlive })
  outgoing.shouldKeepAlive = false
}

/** To be called before a body is read: lets a client that waits for it send its body. */
export const askForBody = (incoming: IncomingMessage) => {
  const client = waiting.get(incoming)
  if (!client) return
  waiting.delete(incoming)
  client.outgoing.shouldKeepAlive = client.keepAlive
  client.outgoing.writeContinue()
}
