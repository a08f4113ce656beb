import {
  type NodeGatewayOptions,
  type RunningGateway,
  startNodeGateway,
} from '#gateway/node/start-node-gateway.ts'
import type { RouteControl } from '#gateway/request/route-control.ts'
import { readOwnBuild } from '#migration/evidence-keys/own-build.ts'
import { type ControlTuning, startNodeControl } from '#migration/node-control.ts'

export interface StartOptions extends Omit<NodeGatewayOptions, 'build' | 'startControl'>, ControlTuning {
  /** Called before the routing state is first read, and repeated until it succeeds. */
  readonly prepareDatabase?: (() => Promise<void>) | undefined
  /** Replaces the route control. The gateway then has no operator pages. */
  readonly control?: RouteControl | undefined
}

export const startGateway = (options: StartOptions): Promise<RunningGateway> =>
  startNodeGateway({
    ...options,
    build: readOwnBuild(),
    startControl: async (dependencies) =>
      options.control ?? startNodeControl({ ...options, ...dependencies }),
  })
