import type { IncomingMessage } from 'node:http'
import { createInitialOutcome, type RequestContext, sanitizeRequestId } from '../request/context.ts'

/** What the service headers of a response require. */
export type DescribedRequest = Pick<RequestContext, 'requestId' | 'outcome'>

const contexts = new WeakMap<IncomingMessage, DescribedRequest>()

/** Makes an error that the parser finds in the body of a routed request report its route, its runtime and its id. */
export const rememberContext = (incoming: IncomingMessage, context: DescribedRequest) => {
  contexts.set(incoming, context)
}

/** Describes a request for its error response; `incoming` is null if it could not be parsed. */
export const describeRequest = (incoming: IncomingMessage | null): DescribedRequest => {
  const context = incoming && contexts.get(incoming)
  if (context) return context
  const sent = incoming?.headers['x-request-id']
  return {
    requestId: sanitizeRequestId(typeof sent === 'string' ? sent : undefined),
    outcome: createInitialOutcome({ kind: 'no-row', nativeOnly: false }),
  }
}
