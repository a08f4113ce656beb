import type { ExecutionContext } from 'hono'
import type { Log } from '../observability/log.ts'
import type { GatewayBindings } from '../request/gateway-env.ts'
import { createDispatch, type Dispatch, type DispatchDependencies } from './dispatch.ts'
import type { GatewayMiddleware } from './middleware.ts'
import { createRecovery, type Recovery } from './recover.ts'
import { runMiddleware } from './run-middleware.ts'

export interface AppOptions extends DispatchDependencies {
  readonly log: Log
  readonly middleware: readonly GatewayMiddleware[]
}

export interface App {
  /**
   * Runs the middleware and serves the request; the promise resolves when its response is written and its body is
   * released. Never rejects. On Workers `executionCtx` lets work outlive its response.
   */
  serve(bindings: GatewayBindings, executionCtx?: ExecutionContext): void | Promise<void>
}

// Without Hono, whose context has a closure for each of its methods. Not async, as each promise costs as much as looking up
// the route. See "GET of 1 KiB, 32 connections" in bench/README.md.
const serveDirectly = (dispatch: Dispatch, { recover }: Recovery): App => ({
  serve(bindings) {
    try {
      return dispatch(bindings)?.then(
        () => bindings.request.releaseBody(),
        (error) => recover(error, bindings),
      )
    } catch (error) {
      return recover(error, bindings)
    }
  },
})

/** Creates the app that every platform uses: it dispatches each request, within the middleware if there is any. */
export const createApp = ({ middleware, log, ...dependencies }: AppOptions): App => {
  const dispatch = createDispatch(dependencies)
  const recovery = createRecovery(log)
  return middleware.length === 0
    ? serveDirectly(dispatch, recovery)
    : runMiddleware({ middleware, dispatch, recovery, log })
}
