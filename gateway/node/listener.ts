import type { IncomingMessage } from 'node:http'
import type { BodyProgressLimits } from '#proxy/body-progress.ts'
import type { Tracer } from '#shared/tracing/trace.ts'
import type { ComposedGateway } from '../app/compose-gateway.ts'
import { recordRejection, recordRequest } from '../app/record-request.ts'
import type { CoreUsageRecorder } from '../observability/core-usage-recorder.ts'
import type { RequestCounter } from '../observability/request-counter.ts'
import { createErrorResponseHeaders } from '../request/cors.ts'
import { createRequestContext } from '../request/create-context.ts'
import { createLazyRequest } from '../request/lazy-request.ts'
import { rememberContext } from './describe-request.ts'
import { getEdgeErrorCode } from './error-response.ts'
import type { EdgeServerOptions } from './http-server.ts'
import { NodePlatform, type NodePlatformOptions, resolveClient } from './platform.ts'
import { readBody, readBodyStart } from './read-body.ts'

type NodeListenerOptions = ComposedGateway &
  NodePlatformOptions & {
    readonly bodyProgress: BodyProgressLimits
    readonly counter: RequestCounter
    readonly coreUsage: CoreUsageRecorder | undefined
    readonly tracer: Tracer | null
  }

const firstValue = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

export const createHeaderReader = (incoming: IncomingMessage) => (name: string) =>
  firstValue(incoming.headers[name])

/** Passes well-formed requests to the app and records each when its response has ended. */
export const createNodeListener = (options: NodeListenerOptions): EdgeServerOptions => {
  const { app, cors, trusted, bodyBudget, metrics } = options
  const bodyLimits = { maxBytes: options.bodyLimitBytes, progress: options.bodyProgress }
  return {
    onRequest(incoming, outgoing, inspected) {
      const context = createRequestContext({
        method: incoming.method ?? 'GET',
        path: inspected.target.path,
        hasRewrittenPath: inspected.target.isRewritten,
        query: inspected.target.query,
        header: createHeaderReader(incoming),
        clientAddress: () => resolveClient(incoming, inspected, trusted).address,
        onDisconnect: (listener) =>
          outgoing.once('close', () => {
            if (!outgoing.writableFinished) listener()
          }),
        bodyBudget,
        tracer: options.tracer,
        read: (reservation, timeoutMs) =>
          readBody(incoming, outgoing, reservation, { ...bodyLimits, timeoutMs }),
        readStart: (reservation) => readBodyStart(incoming, outgoing, reservation, bodyLimits),
      })
      if (inspected.bodyLength !== 0) rememberContext(incoming, context)
      context.outcome.bytesIn = inspected.bodyLength ?? undefined
      metrics.beginRequest()
      outgoing.once('close', () => {
        metrics.endRequest()
        const { outcome } = context
        outcome.error ??= getEdgeErrorCode(outgoing)
        if (outgoing.headersSent && !outgoing.writableFinished) outcome.error ??= 'client_gone'
        recordRequest(options, context, outgoing.headersSent ? outgoing.statusCode : 499)
      })
      const platform = new NodePlatform(options, context, inspected, incoming, outgoing)
      void app.fetch(createLazyRequest(platform), { request: context, platform })
    },

    onRejected: (rejection) => recordRejection(options, rejection),

    additionalHeaders: (incoming) =>
      createErrorResponseHeaders(cors, {
        method: incoming.method ?? '',
        target: incoming.url ?? '',
        header: createHeaderReader(incoming),
      }),
  }
}
