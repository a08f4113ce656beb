import type { MiddlewareHandler } from 'hono'

const contentPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** Restricts every page of the console to itself: it loads nothing from elsewhere, and no other page may embed it. */
export const securityHeaders: MiddlewareHandler = async (context, next) => {
  await next()
  context.header('content-security-policy', contentPolicy)
  // With `no-referrer`, browsers send `Origin: null` with forms, and `csrf` rejects them where the listener has no TLS.
  context.header('referrer-policy', 'same-origin')
}
