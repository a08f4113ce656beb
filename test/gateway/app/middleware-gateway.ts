import { beforeEach } from 'vitest'
import type { GatewayMiddleware } from '#gateway/app/middleware.ts'
import { startTestGateway } from '#test/support/gateway.ts'

export const native = '/v1/public/track-links/unknown-token-of-a-link'
export const forwarded = '/v1/unported'
export const page = '/healthz'

const passThrough: GatewayMiddleware = (_context, next) => next()

/**
 * Starts a gateway with a recording core and two middleware functions. Each test can set them; by default they pass the
 * request on.
 */
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
    // A test's middleware may respond with something that the API description does not allow.
    get: (path: string, headers: Record<string, string> = {}) =>
      gateway.request('GET', path, { headers, isDescribed: false }),
  }
}
