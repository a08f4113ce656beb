import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Authenticate } from './authenticate.ts'
import type { BillingProvider } from './billing-provider.ts'
import { addConditionalGet } from './conditional-get.ts'
import { CoreError } from './core-error.ts'
import { type Database, isLostDatabase } from './database.ts'
import type { RecordEvent } from './engagement.ts'
import type { Plan } from './entitlements.ts'
import type { Mailer } from './mailer.ts'
import type { MediaLimits } from './media-limits.ts'
import { rejectOtherMethods } from './method-not-allowed.ts'
import type { ObjectStorage } from './object-storage.ts'
import type { Rates } from './rate-limit.ts'
import { addSignIn } from './sign-in.ts'
import { addTrackScope } from './track-scope.ts'

/** What the areas work with. */
interface CoreParts {
  readonly sql: Database
  readonly plans: readonly Plan[]
  readonly storage: ObjectStorage
  readonly limits: MediaLimits
  readonly rates: Rates
  /** Where clients reach the service; null: wherever a request says it was sent to. */
  readonly publicBaseUrl: string | null
  /** Whether there is a service to analyse audio with. */
  readonly offersAnalysis: boolean
  readonly mail: Mailer
  readonly recordEvent: RecordEvent
  /** Null: nothing can be bought. */
  readonly billing: BillingProvider | null
  /** Where the provider's pages lead back to; null: to where clients reach the service. */
  readonly appOrigin: string | null
}

/** The routes of one part of the service. */
export type Area = (app: FastifyInstance, parts: CoreParts) => void

interface AppParts extends CoreParts {
  readonly authenticate: Authenticate
  readonly areas: readonly Area[]
  /** Areas below one track. */
  readonly trackAreas: readonly Area[]
  readonly logLevel: string
}

/** Answers 201 with the address of what was made, on the origin this core listens at. */
export const created = (reply: FastifyReply, path: string) => {
  const { localAddress, localPort } = reply.request.socket
  return reply.code(201).header('location', `http://${localAddress}:${localPort}${path}`)
}

/** The origin that a client has sent a request to, ahead of any proxy. */
export const requestOrigin = ({ protocol, host }: FastifyRequest) => `${protocol}://${host}`

const lostDatabaseCode = (request: FastifyRequest) => {
  const [, , area = 'core'] = (request.routeOptions.url ?? '').split('/')
  return `${area.replaceAll('-', '_')}_database_unavailable`
}

const answerError = (error: FastifyError | CoreError, request: FastifyRequest, reply: FastifyReply) => {
  if (error instanceof CoreError) return reply.code(error.status).headers(error.headers).send(error.body)
  if (isLostDatabase(error)) return reply.code(503).send({ error: lostDatabaseCode(request) })
  const { code, statusCode = 500, message } = error
  if (statusCode === 413) return reply.code(413).send({ error: 'body_too_large' })
  if (statusCode < 500) return reply.code(statusCode).send({ error: 'bad_request' })
  request.log.error({ code, reason: message, route: request.routeOptions.url }, 'unhandled error')
  return reply.code(500).send({ error: 'internal_error' })
}

/** Hands bodies over as bytes, whatever their Content-Type says: handlers parse them after the ownership checks. */
const takeBodiesAsBytes = (app: FastifyInstance) => {
  app.addHook('onRequest', async (request) => {
    delete request.raw.headers['content-type']
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body)
}

/** No row has an empty segment or a broken escape: such a path goes where no row is, before the router guesses. */
const routablePath = (url: string) => {
  const [path = ''] = url.split('?')
  try {
    return /^(\/[^/]+)+$/.test(decodeURI(path)) ? url : '/'
  } catch {
    return '/'
  }
}

/** The core's HTTP surface, not yet listening. */
export const createApp = ({
  authenticate,
  areas,
  trackAreas,
  logLevel,
  ...parts
}: AppParts): FastifyInstance => {
  const app = fastify({
    logger: { level: logLevel },
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: 'loopback',
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384 },
    rewriteUrl: (request) => routablePath(request.url ?? '/'),
  })
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(() => {
    throw new CoreError('route_not_found')
  })
  addSignIn(app, authenticate)
  takeBodiesAsBytes(app)
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
