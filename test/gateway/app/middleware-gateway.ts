import { beforeEach } from 'vitest'
import type { GatewayMiddleware } from '#gateway/app/middleware.ts'
import { startTestGateway } from '#test/support/gateway.ts'

export const native = '/v1/public/track-links/unknown-token-of-a-link'
export const forwarded = '/v1/unported'
export const page = '/healthz'

const passThrough: GatewayMiddleware = (_context, next) => next()

/** Starts a gateway with a recording core and two middleware functions, which each test sets and which pass by default. */
export const startMiddlewareGateway = () => {
  const mounted = { first: passThrough, second: passThrough }
  const gateway = startTestGateway({
    control: 'fixed',
    core: 'recording',
    environment: { CORS_ORIGINS: 'https://app.example' },
    mountMiddleware(app) {
      app.use((context, next) => mounted.first(context, next))
      app.use((context, next) => mounted.second(context, next))
    },
  })
  const reset = () => Object.assign(mounted, { first: passThrough, second: passThrough })
  beforeEach(reset)
  return {
    gateway,
    mounted,
    reset,
    // The middleware of a test may respond itself.
    get: (path: string, headers: Record<string, string> = {}) =>
      gateway.request('GET', path, { headers, isDescribed: false }),
  }
}
