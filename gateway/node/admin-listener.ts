import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { ApiError } from '#contracts/errors.ts'
import { describeError } from '#shared/describe-error.ts'
import { runInTrace, traceIdOf } from '#shared/tracing/trace.ts'
import { createBodyBudget } from '../edge/body-budget.ts'
import type { InspectedRequest } from '../edge/inspect-request.ts'
import type { Log } from '../observability/log.ts'
import { contentOf, type PageApp, type PageBindings, toFetchResponse } from '../pages/page-app.ts'
import { RequestContext } from '../request/context.ts'
import { createRequestUrl } from '../request/platform.ts'
import { errorResponse, serviceHeaders } from '../request/response.ts'
import { formatListeningUrl } from '../settings/listeners.ts'
import { rememberContext } from './error-response.ts'
import { createEdgeServer, type EdgeListener } from './http-server.ts'
import { listenOrThrow } from './listen-error.ts'
import { readHeader } from './platform.ts'
import { readBody } from './read-body.ts'

interface AdminListenerOptions {
  readonly pages: PageApp
  readonly host: string
  /** The URL that browsers use to reach this listener through a proxy. */
  readonly proxiedUrl?: string | undefined
  readonly log: Log
}

const maxBodyBytes = 65_536
const bodyMemoryBytes = 16 * maxBodyBytes
const bodyTimeoutMs = 10_000

// Keeps other origins from reading or embedding a response.
const isolationHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

// Whether a request names the listener by IP address, as `localhost` or by a configured host. Prevents DNS rebinding: a
// web page can point its own host name at this listener, and would then share its origin.
const isTrustedHost = (authority: string, configuredHosts: readonly string[]) => {
  // Only HTTP/1.0 clients omit the host, and no browser is one.
  if (authority === '' || authority.startsWith('[')) return true
  const name = authority.replace(/:\d*$/, '').toLowerCase()
  return name === 'localhost' || configuredHosts.includes(name) || isIP(name) !== 0
}

const identify = ({ requestId, trace }: Pick<RequestContext, 'requestId' | 'trace'>) => ({
  requestId,
  traceId: traceIdOf(trace),
})

/** Returns the page's body without copying it. All requests share its bytes, which a `Response` would copy for each. */
const streamBody = (response: Response) => {
  const content = contentOf(response)
  if (!content) return response.body
  return new ReadableStream({
    start(controller) {
      controller.enqueue(content)
      controller.close()
    },
  })
}

const createAdminListener = ({ pages, host, proxiedUrl, log }: AdminListenerOptions): EdgeListener => {
  const hosts = [host.toLowerCase(), ...(proxiedUrl === undefined ? [] : [new URL(proxiedUrl).hostname])]
  const bodyBudget = createBodyBudget(bodyMemoryBytes)

  const createContext = (incoming: IncomingMessage, outgoing: ServerResponse, { target }: InspectedRequest) =>
    new RequestContext({
      method: incoming.method ?? 'GET',
      target,
      header: (name) => readHeader(incoming, name),
      clientAddress: () => incoming.socket.remoteAddress ?? '',
      bodyBudget,
      read: (reservation, timeoutMs = bodyTimeoutMs) =>
        readBody(incoming, outgoing, reservation, { maxBytes: maxBodyBytes, timeoutMs }),
    })

  const logFailure = (context: RequestContext, error: unknown) =>
    log.error({ ...identify(context), failure: describeError(error) }, 'admin request failed')

  const servePage = async (raw: Request, context: RequestContext, inspected: InspectedRequest) => {
    try {
      if (!isTrustedHost(inspected.host, hosts)) throw new ApiError('forbidden')
      return await pages.fetch(raw, { context } satisfies PageBindings)
    } catch (error) {
      if (error instanceof ApiError) return toFetchResponse(errorResponse(error))
      logFailure(context, error)
      return toFetchResponse(errorResponse(new ApiError('internal_error')))
    }
  }

  const serve = async (
    raw: Request,
    outgoing: ServerResponse,
    inspected: InspectedRequest,
    context: RequestContext,
  ) => {
    const response = await servePage(raw, context, inspected)
    // The parser found an error in the body, and the error response was already sent.
    if (outgoing.headersSent) return RESPONSE_ALREADY_SENT
    const { status, headers } = response
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
    for (const [name, value] of Object.entries({ ...isolationHeaders, ...serviceHeaders(context) }))
      headers.set(name, value)
    return new Response(streamBody(response), { status, headers })
  }

  return {
    onRequest: (incoming, outgoing, inspected) => {
      const context = createContext(incoming, outgoing, inspected)
      if (inspected.bodyLength !== 0) rememberContext(incoming, context)
      outgoing.once('close', () => {
        context.releaseBody()
        const status = outgoing.headersSent ? outgoing.statusCode : 499
        log.info({ ...identify(context), method: context.method, status }, 'admin request served')
      })
      // The URL has the canonical path. A host that is valid in HTTP but not in a URL is replaced.
      incoming.url = createRequestUrl('http:', inspected)
      const respond = getRequestListener(
        (raw) => runInTrace(context.trace, () => serve(raw, outgoing, inspected, context)),
        {
          // The edge reads and limits bodies. Do not replace global classes: the public listener uses them.
          autoCleanupIncoming: false,
          overrideGlobalObjects: false,
          errorHandler(error) {
            logFailure(context, error)
            outgoing.destroy()
          },
        },
      )
      void respond(incoming, outgoing)
    },
    bodyBudget,
    onRejected: ({ code, status, ...rejected }) =>
      log.info({ ...identify(rejected), status, error: code }, 'admin request rejected'),
  }
}

interface AdminOptions extends AdminListenerOptions {
  /** Null starts no listener. */
  readonly port: number | null
  readonly portSetting: 'ADMIN_PORT' | 'JOBS_ADMIN_PORT'
}

export interface RunningAdmin {
  readonly url: string | null
  close(): Promise<void>
}

// Limits what slow clients can take from the process.
const maxConnections = 256
const headersTimeoutMs = 5000
const keepAliveTimeoutMs = 5000
const responseStallTimeoutMs = 10_000
const drainTimeoutMs = 1000

export const startAdmin = async ({ port, portSetting, ...options }: AdminOptions): Promise<RunningAdmin> => {
  if (port === null) return { url: null, close: async () => {} }
  const edge = createEdgeServer({
    ...createAdminListener(options),
    headersTimeoutMs,
    keepAliveTimeoutMs,
    responseStallTimeoutMs,
  })
  edge.server.maxConnections = maxConnections
  const { host } = options
  const settings = { host: 'ADMIN_HOST', port: portSetting }
  const boundPort = await listenOrThrow(edge, { host, port, settings })
  return { url: formatListeningUrl(host, boundPort), close: () => edge.close(drainTimeoutMs) }
}
