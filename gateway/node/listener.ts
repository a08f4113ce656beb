import type { ComposedGateway } from '../app/compose-gateway.ts'
import { recordRejection } from '../app/observers.ts'
import { createErrorResponseHeaders } from '../request/cors.ts'
import { rememberContext } from './error-response.ts'
import type { EdgeListener } from './http-server.ts'
import { NodePlatform, type NodePlatformOptions, readHeader } from './platform.ts'
import { warmUpToken } from './warm-up.ts'

type NodeListenerOptions = ComposedGateway & NodePlatformOptions

export const createNodeListener = (options: NodeListenerOptions): EdgeListener => {
  const { app, cors, metrics, observers } = options
  return {
    onRequest(incoming, outgoing, inspected) {
      const platform = new NodePlatform(options, inspected, incoming, outgoing)
      const { context } = platform
      if (context.isWarmUp) {
        context.verifiedToken = warmUpToken
        void app.serve({ context, platform })
        return
      }
      if (inspected.bodyLength !== 0) rememberContext(incoming, context)
      context.outcome.bytesIn = inspected.bodyLength ?? undefined
      metrics.beginRequest()
      // `once`, because a response may live on in the heap's old generation, and its listener would keep the whole
      // request alive.
      outgoing.once('close', () => {
        metrics.endRequest()
        const { outcome } = context
        if (outgoing.headersSent && !outgoing.writableFinished) outcome.error ??= 'client_gone'
        const status = outgoing.headersSent ? outgoing.statusCode : 499
        observers.ended({ context, status, durationMs: context.durationMs() })
      })
      void app.serve({ context, platform })
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
