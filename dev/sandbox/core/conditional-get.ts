import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

// RFC 9110, section 13.1.2: the comparison is weak, and `*` matches any current representation.
const matches = (ifNoneMatch: string, etag: string) =>
  ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)

/** Adds an ETag to each 200 response to GET and HEAD. Returns 304 if `If-None-Match` contains it. */
export const addConditionalGet = (app: FastifyInstance) => {
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
