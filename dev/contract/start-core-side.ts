import { startServer } from '../start/start-child.ts'

type CoreSideEnvironment = Readonly<Record<string, string | undefined>>

/** Starts a second gateway that forwards to the core every route that both sides serve. */
export const startCoreSide = (environment: CoreSideEnvironment) =>
  startServer('the gateway in front of the core', new URL('../start/sandbox-gateway.ts', import.meta.url), {
    ...environment,
    GATEWAY_ROUTES: '*=proxy',
  })
