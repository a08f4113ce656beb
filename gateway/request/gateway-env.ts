import type { RequestContext } from './context.ts'
import type { Platform } from './platform.ts'

/** What the Hono context of each request provides. */
export interface GatewayBindings {
  /** The request; after `next()` it also has the status, runtime and duration of the response. */
  readonly request: RequestContext
  /** Internal: middleware should not use it. */
  readonly platform: Platform
}

/** The environment of the Hono app. */
export interface GatewayEnv {
  Bindings: GatewayBindings
}
