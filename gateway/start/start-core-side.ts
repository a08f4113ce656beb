import { comparedRoutes } from './compared-routes.ts'
import { startServer } from './start-child.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Starts a second gateway that forwards to the core every route that both sides serve. */
export const startCoreSide = (environment: Environment) =>
  startServer('the gateway in front of the core', new URL('../server.ts', import.meta.url), {
    ...environment,
    GATEWAY_KILL: [...comparedRoutes().keys()].join(),
  })
