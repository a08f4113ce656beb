import type { IncomingMessage } from 'node:http'
import { type Exchange, outcomeOf, requestIdFrom } from './exchange.ts'
import { findRoute } from './find-route.ts'

export interface Target {
  readonly path: string
  readonly query: string
}

const single = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

/** A request of the Node server as the rest of the gateway sees it; `read` is run once, when a body is asked for. */
export const nodeExchange = (
  incoming: IncomingMessage,
  target: Target,
  read: () => Promise<Uint8Array>,
): Exchange => {
  const method = incoming.method ?? 'GET'
  const match = findRoute(method, target.path)
  let body: Promise<Uint8Array> | undefined
  return {
    requestId: requestIdFrom(single(incoming.headers['x-request-id'])),
    method,
    path: target.path,
    query: target.query,
    match,
    header: (name) => single(incoming.headers[name]),
    readBody: () => {
      body ??= read()
      return body
    },
    outcome: outcomeOf(match),
  }
}
