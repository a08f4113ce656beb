import type { RequestContext } from './context.ts'
import type { Platform } from './platform.ts'

/** What the Hono context of each request provides. */
export interface GatewayEnv {
  Bindings: {
    /** The request; after `next()` it also has the status, runtime and duration of the response. */
    readonly request: RequestContext
    /** Internal: middleware should not use it. */
    readonly platform: Platform
  }
}
