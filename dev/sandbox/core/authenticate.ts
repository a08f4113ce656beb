import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import * as z from 'zod'
import { CoreError } from './core-error.ts'
import { exactEmail, exactLine } from './input.ts'
import type { CoreSettings } from './settings.ts'

declare module 'fastify' {
  interface FastifyRequest {
    signedIn: Actor | null
  }
}

export interface Actor {
  readonly accountId: string
  readonly email: string | null
  readonly emailVerified: boolean
}

const Claims = z.object({
  sub: exactLine(1, 128),
  email: exactEmail.nullable().catch(null),
  email_verified: z.boolean().catch(false),
})

/** Whether fetching the key set failed. The token may still be valid. */
const isKeySetFailure = (error: unknown) =>
  !(error instanceof errors.JOSEError) ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  error.code === 'ERR_JOSE_GENERIC'

const createAuthenticate = (settings: CoreSettings) => {
  const keySet = createRemoteJWKSet(new URL(settings.AUTH_JWKS_URL), { timeoutDuration: 3000 })
  const options = {
    issuer: settings.AUTH_ISSUER,
    audience: settings.AUTH_AUDIENCE,
    algorithms: ['RS256', 'ES256', 'EdDSA'],
    requiredClaims: ['exp', 'sub'],
  }

  return async (authorization: string | undefined): Promise<Actor> => {
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
    if (token === undefined) throw new CoreError('unauthorized')
    const { payload } = await jwtVerify(token, keySet, options).catch((error: unknown) => {
      throw new CoreError(isKeySetFailure(error) ? 'authentication_unavailable' : 'unauthorized')
    })
    const claims = Claims.safeParse(payload)
    if (!claims.success) throw new CoreError('unauthorized')
    const { sub, email: address, email_verified: emailVerified } = claims.data
    return { accountId: sub, email: address, emailVerified }
  }
}

const isUnauthorized = (error: unknown) => error instanceof CoreError && error.status === 401

/**
 * Authenticates requests before routing, even for unknown paths, so that a 404 never tells unauthenticated clients
 * which routes exist. For pack links, authentication is optional.
 */
export const addAuthentication = (app: FastifyInstance, settings: CoreSettings) => {
  const authenticate = createAuthenticate(settings)
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
