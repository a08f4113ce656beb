import { comparedRoutes } from './compared-routes.ts'
import { startServer } from './start-child.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A second instance of the gateway in which every route that a core serves too is left to the core. */
export const startCoreSide = (environment: Environment) =>
  startServer('the gateway in front of the core', new URL('../server.ts', import.meta.url), {
    ...environment,
    GATEWAY_KILL: [...comparedRoutes().keys()].join(),
  })
