import { createHash, randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Queryable } from './database.ts'
import { futureMoment, line } from './input.ts'

/** What an owner may say of a new link. */
export const NewShareLink = z.object({ name: line(1, 120).optional(), expiresAt: futureMoment.optional() })

const hashToken = (token: string) => createHash('sha256').update(token).digest('hex')

/** What is kept of the token in a path, whether or not a link has it. */
export const tokenHashOf = ({ params }: FastifyRequest) =>
  hashToken(params && typeof params === 'object' ? String(Reflect.get(params, 'token')) : '')

/** A new token with what is kept of it: 256 random bits need no salt and no slow hash. */
export const makeToken = () => {
  const token = randomBytes(32).toString('base64url')
  return { token, kept: { tokenHash: hashToken(token), tokenPreview: token.slice(-4) } }
}

/** Whether a link is active, from its columns `revoked_at` and `expires_at`. */
export const linkStatus = (sql: Queryable) => sql`
  case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'active' end`

export const isActiveLink = (sql: Queryable) =>
  sql`revoked_at is null and (expires_at is null or expires_at > now())`
