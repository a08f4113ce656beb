import type { RequestContext } from './context.ts'
import type { Platform } from './platform.ts'

/** What Hono carries beside each request. */
export interface GatewayEnv {
  Bindings: {
    /** The request: before `next()` what arrived, after it also the status, runtime and duration of its response. */
    readonly request: RequestContext
    /** For the gateway itself. */
    readonly platform: Platform
  }
}
