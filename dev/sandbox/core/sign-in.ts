import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Actor, Authenticate } from './authenticate.ts'
import { CoreError } from './core-error.ts'

declare module 'fastify' {
  interface FastifyRequest {
    signedIn: Actor | null
  }
}

const isUnauthorized = (error: unknown) => error instanceof CoreError && error.status === 401

/**
 * Authenticates requests before routing, even for unknown paths, so that a 404 never tells unauthenticated clients
 * which routes exist. For pack links, authentication is optional.
 */
export const addAuthentication = (app: FastifyInstance, authenticate: Authenticate) => {
  app.decorateRequest('signedIn', null)
  app.addHook('onRequest', async (request) => {
    const { originalUrl: path, headers } = request
    if (!path.startsWith('/v1/') || path.startsWith('/v1/public/')) return
    if (path.startsWith('/v1/pack-links/') && headers.authorization === undefined) return
    request.signedIn = await authenticate(headers.authorization).catch((error: unknown) => {
      if (path.startsWith('/v1/pack-links/') && isUnauthorized(error)) return null
      throw error
    })
  })
}

export const requireActor = ({ signedIn }: FastifyRequest): Actor => {
  if (!signedIn) throw new CoreError('unauthorized')
  return signedIn
}
