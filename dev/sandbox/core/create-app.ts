import { createHash } from 'node:crypto'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { addAuthentication } from './authenticate.ts'
import { CoreError } from './core-error.ts'
import { type Database, isDatabaseUnavailable } from './database.ts'
import type { RecordEvent } from './engagement.ts'
import { rejectOtherMethods } from './method-not-allowed.ts'
import type { ObjectStorage } from './object-storage.ts'
import type { CoreSettings } from './settings.ts'
import { addTrackScope } from './track-scope.ts'

export interface CoreParts {
  readonly settings: CoreSettings
  readonly sql: Database
  readonly storage: ObjectStorage
  readonly recordEvent: RecordEvent
}

export type RegisterRoutes = (app: FastifyInstance, parts: CoreParts) => void

/** Sets status 201 and a `Location` that uses the address this core listens on. */
export const replyCreated = (reply: FastifyReply, path: string) => {
  const { localAddress, localPort } = reply.request.socket
  return reply.code(201).header('location', `http://${localAddress}:${localPort}${path}`)
}

/** Returns the origin that the client addressed, even if a proxy forwarded the request. */
export const requestOrigin = ({ protocol, host }: FastifyRequest) => `${protocol}://${host}`

const databaseErrorCode = (request: FastifyRequest) => {
  const [, , area = 'core'] = (request.routeOptions.url ?? '').split('/')
  return `${area.replaceAll('-', '_')}_database_unavailable`
}

const sendErrorResponse = (error: FastifyError | CoreError, request: FastifyRequest, reply: FastifyReply) => {
  if (error instanceof CoreError) return reply.code(error.status).headers(error.headers).send(error.body)
  if (isDatabaseUnavailable(error)) return reply.code(503).send({ error: databaseErrorCode(request) })
  const { code, statusCode = 500, message } = error
  if (statusCode === 413) return reply.code(413).send({ error: 'body_too_large' })
  if (statusCode < 500) return reply.code(statusCode).send({ error: 'bad_request' })
  request.log.error({ code, reason: message, route: request.routeOptions.url }, 'request failed')
  return reply.code(500).send({ error: 'internal_error' })
}

/** Reads bodies as bytes for every Content-Type, because handlers parse them after the ownership checks. */
const readBodiesAsBytes = (app: FastifyInstance) => {
  app.addHook('onRequest', async (request) => {
    delete request.raw.headers['content-type']
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body)
}

// RFC 9110, section 13.1.2: the comparison is weak, and `*` matches any current representation.
const matches = (ifNoneMatch: string, etag: string) =>
  ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)

const addConditionalGet = (app: FastifyInstance) => {
  app.addHook('onSend', async (request, reply, payload) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || reply.statusCode !== 200 || typeof payload !== 'string') return payload
    const etag = `"${createHash('sha256').update(payload).digest('base64url').slice(0, 22)}"`
    reply.header('etag', etag)
    const ifNoneMatch = request.headers['if-none-match']
    if (ifNoneMatch === undefined || !matches(ifNoneMatch, etag)) return payload
    reply.code(304).removeHeader('content-type')
    return null
  })
}

/**
 * Returns `/`, which matches no route, if the path has an empty segment or an invalid escape. The router would accept
 * such a path.
 */
const routablePath = (url: string) => {
  const [path = ''] = url.split('?')
  try {
    return /^(\/[^/]+)+$/.test(decodeURI(path)) ? url : '/'
  } catch {
    return '/'
  }
}

export const createApp = (
  parts: CoreParts,
  areas: readonly RegisterRoutes[],
  trackAreas: readonly RegisterRoutes[],
): FastifyInstance => {
  const app = fastify({
    logger: { level: parts.settings.LOG_LEVEL },
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: 'loopback',
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384 },
    rewriteUrl: (request) => routablePath(request.url ?? '/'),
  })
  app.setErrorHandler(sendErrorResponse)
  app.setNotFoundHandler(() => {
    throw new CoreError('route_not_found')
  })
  addAuthentication(app, parts.settings)
  readBodiesAsBytes(app)
  addConditionalGet(app)

  app.register(async (scope) => {
    rejectOtherMethods(scope, () => {
      for (const area of areas) area(scope, parts)
    })
  })
  addTrackScope(app, parts.sql, (scope) => {
    for (const area of trackAreas) area(scope, parts)
  })
  return app
}
