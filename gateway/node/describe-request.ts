import type { IncomingMessage } from 'node:http'
import { type RequestContext, sanitizeRequestId } from '../request/context.ts'
import { createInitialOutcome } from '../request/outcome.ts'
import { startRequestTrace } from '../request/trace.ts'

/** What the service headers of a response and the log require. */
export type DescribedRequest = Pick<RequestContext, 'requestId' | 'trace' | 'outcome'>

const contexts = new WeakMap<IncomingMessage, DescribedRequest>()

/** Makes an error that the parser finds in the body of a routed request report its route, its runtime and its id. */
export const rememberContext = (incoming: IncomingMessage, context: DescribedRequest) => {
  contexts.set(incoming, context)
}

/** Describes a request for its error response; `incoming` is null if it could not be parsed. */
export const describeRequest = (incoming: IncomingMessage | null): DescribedRequest => {
  const context = incoming && contexts.get(incoming)
  if (context) return context
  const header = (name: string) => {
    const sent = incoming?.headers[name]
    return typeof sent === 'string' ? sent : undefined
  }
  return {
    requestId: sanitizeRequestId(header('x-request-id')),
    trace: startRequestTrace(null, { method: incoming?.method ?? '', header }),
    outcome: createInitialOutcome(),
  }
}
