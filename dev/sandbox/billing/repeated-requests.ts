import type { MiddlewareHandler } from 'hono'

interface KnownRequest {
  readonly request: string
  /** Null while the request is being served. */
  response: Response | null
}

/** Makes the API repeat the response to the first request with the same idempotency key. */
export const repeatResponses = (): MiddlewareHandler => {
  const requests = new Map<string, KnownRequest>()
  return async (context, next) => {
    const { req, json } = context
    const key = req.header('idempotency-key')
    if (key === undefined) return next()
    const request = req.url + (await req.text())
    const known = requests.get(key)
    const fail = (status: 400 | 409, code: string, message: string) =>
      json({ error: { type: 'idempotency_error', code, message } }, status)
    if (known?.response && known.request === request) {
      const { status, headers, body } = known.response.clone()
      return new Response(body, { status, headers: [...headers, ['idempotent-replayed', 'true']] })
    }
    if (known)
      return known.request === request
        ? fail(409, 'idempotency_key_in_use', 'A request with the key is being served.')
        : fail(
            400,
            'idempotency_key_reused',
            'This idempotency key was already used with different parameters.',
          )
    const served: KnownRequest = { request, response: null }
    requests.set(key, served)
    await next()
    if (context.res.status >= 500) requests.delete(key)
    else if (context.res.status !== 409) served.response = context.res.clone()
  }
}
