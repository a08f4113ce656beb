import type { ComposedGateway } from '../app/compose-gateway.ts'
import { recordRejection, recordRequest } from '../app/record-request.ts'
import type { CoreUsageRecorder } from '../observability/core-usage-recorder.ts'
import type { RequestCounter } from '../observability/request-counter.ts'
import { createErrorResponseHeaders } from '../request/cors.ts'
import { rememberContext } from './describe-request.ts'
import { getEdgeErrorCode } from './error-response.ts'
import type { EdgeServerOptions } from './http-server.ts'
import { readHeader } from './node-request.ts'
import { NodePlatform, type NodePlatformOptions } from './platform.ts'

type NodeListenerOptions = ComposedGateway &
  NodePlatformOptions & {
    readonly counter: RequestCounter
    readonly coreUsage: CoreUsageRecorder | undefined
  }

/** Passes well-formed requests to the app and records each when its response has ended. */
export const createNodeListener = (options: NodeListenerOptions): EdgeServerOptions => {
  const { app, cors, metrics } = options
  return {
    onRequest(incoming, outgoing, inspected) {
      const platform = new NodePlatform(options, inspected, incoming, outgoing)
      const { context } = platform
      if (inspected.bodyLength !== 0) rememberContext(incoming, context)
      context.outcome.bytesIn = inspected.bodyLength ?? undefined
      metrics.beginRequest()
      // Removed when it has run: a response in the old generation of the heap would otherwise keep its whole request.
      outgoing.once('close', () => {
        metrics.endRequest()
        const { outcome } = context
        outcome.error ??= getEdgeErrorCode(outgoing)
        if (outgoing.headersSent && !outgoing.writableFinished) outcome.error ??= 'client_gone'
        recordRequest(options, context, outgoing.headersSent ? outgoing.statusCode : 499)
      })
      void app.serve({ request: context, platform })
    },

    bodyBudget: options.bodyBudget,

    onRejected: (rejection) => recordRejection(options, rejection),

    additionalHeaders: (incoming) =>
      createErrorResponseHeaders(cors, {
        method: incoming.method ?? '',
        target: incoming.url ?? '',
        header: (name) => readHeader(incoming, name),
      }),
  }
}
