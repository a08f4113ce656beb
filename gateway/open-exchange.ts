import { type Exchange, outcomeOf, requestIdFrom } from './exchange.ts'
import { findRoute } from './find-route.ts'

interface OpenOptions {
  readonly method: string
  /** Canonical. */
  readonly path: string
  /** With its question mark, or empty. */
  readonly query: string
  /** `name` in lower case. */
  readonly header: (name: string) => string | undefined
  readonly clientAddress: () => string
  /** Runs once, when the body is asked for. */
  readonly read: () => Promise<Uint8Array>
}

/** A request as the gateway sees it on every platform, with its row looked up. */
export const openExchange = ({ method, path, query, header, clientAddress, read }: OpenOptions): Exchange => {
  const match = findRoute(method, path)
  let body: Promise<Uint8Array> | undefined
  return {
    requestId: requestIdFrom(header('x-request-id')),
    method,
    path,
    query: query.slice(1),
    match,
    header,
    clientAddress,
    readBody: () => {
      body ??= read()
      return body
    },
    hasReadBody: () => body !== undefined,
    outcome: outcomeOf(match),
  }
}
