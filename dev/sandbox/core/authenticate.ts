import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import * as z from 'zod'
import { CoreError } from './core-error.ts'
import { exactEmail, exactLine } from './input.ts'

export interface AuthSettings {
  readonly issuer: string
  readonly audience: string
  readonly jwksUrl: string
}

export interface Actor {
  readonly accountId: string
  readonly email: string | null
  readonly emailVerified: boolean
}

export type Authenticate = (authorization: string | undefined) => Promise<Actor>

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

export const createAuthenticate = ({ issuer, audience, jwksUrl }: AuthSettings): Authenticate => {
  const keySet = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: 3000 })
  const options = {
    issuer,
    audience,
    algorithms: ['RS256', 'ES256', 'EdDSA'],
    requiredClaims: ['exp', 'sub'],
  }

  return async (authorization) => {
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
