import type { FastifyInstance, FastifyRequest } from 'fastify'

interface KnownRequest {
  readonly request: string
  /** Null while the request is being served. */
  response: { readonly status: number; readonly body: string } | null
}

const keyOf = ({ headers }: FastifyRequest) => {
  const key = headers['idempotency-key']
  return typeof key === 'string' ? key : null
}

const toText = ({ url, body }: FastifyRequest) => url + JSON.stringify(body)

/** Makes the API send the response of the first request with an idempotency key to all later ones. */
export const serveRepeatedRequests = (api: FastifyInstance) => {
  const requests = new Map<string, KnownRequest>()

  api.addHook('preHandler', async (request, reply) => {
    const key = keyOf(request)
    if (key === null) return
    const known = requests.get(key)
    if (!known) {
      requests.set(key, { request: toText(request), response: null })
      return
    }
    const sendError = (status: number, code: string, message: string) =>
      reply.code(status).send({ error: { type: 'idempotency_error', code, message } })
    if (known.request !== toText(request))
      return sendError(400, 'idempotency_key_reused', 'The key was used with other parameters.')
    if (known.response === null)
      return sendError(409, 'idempotency_key_in_use', 'A request with the key is being served.')
    const { status, body } = known.response
    return reply.code(status).header('idempotent-replayed', 'true').type('application/json').send(body)
  })

  api.addHook('onSend', async (request, reply, payload) => {
    const key = keyOf(request)
    const known = key === null ? undefined : requests.get(key)
    if (key !== null && known?.response === null && known.request === toText(request)) {
      if (reply.statusCode < 500 && reply.statusCode !== 409 && typeof payload === 'string')
        known.response = { status: reply.statusCode, body: payload }
      else if (reply.statusCode >= 500) requests.delete(key)
    }
    return payload
  })
}
