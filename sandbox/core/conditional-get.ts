import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

// RFC 9110, section 13.1.2: the comparison is weak and `*` stands for anything there is.
const names = (ifNoneMatch: string, etag: string) =>
  ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)

/** Gives each document that was found an ETag and answers 304 to whoever holds it already. */
export const addConditionalGet = (app: FastifyInstance) => {
  app.addHook('onSend', async (request, reply, payload) => {
    const readable = request.method === 'GET' || request.method === 'HEAD'
    if (!readable || reply.statusCode !== 200 || typeof payload !== 'string') return payload
    const etag = `"${createHash('sha256').update(payload).digest('base64url').slice(0, 22)}"`
    reply.header('etag', etag)
    const held = request.headers['if-none-match']
    if (held === undefined || !names(held, etag)) return payload
    reply.code(304).removeHeader('content-type')
    return null
  })
}
