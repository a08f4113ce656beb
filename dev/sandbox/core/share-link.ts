import { createHash, randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Queryable } from './database.ts'
import { futureMoment, singleLineText } from './input.ts'

export const NewShareLink = z.object({
  name: singleLineText(1, 120).optional(),
  expiresAt: futureMoment.optional(),
})

const hashToken = (token: string) => createHash('sha256').update(token).digest('hex')

export const hashPathToken = ({ params }: FastifyRequest) =>
  hashToken(params && typeof params === 'object' ? String(Reflect.get(params, 'token')) : '')

/**
 * Creates a token and its stored columns. The token has 256 random bits, so its hash needs neither a salt nor a slow
 * function.
 */
export const createToken = () => {
  const token = randomBytes(32).toString('base64url')
  return { token, tokenColumns: { tokenHash: hashToken(token), tokenPreview: token.slice(-4) } }
}

export const linkStatus = (sql: Queryable) => sql`
  case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'active' end`

export const isActiveLink = (sql: Queryable) =>
  sql`revoked_at is null and (expires_at is null or expires_at > now())`
