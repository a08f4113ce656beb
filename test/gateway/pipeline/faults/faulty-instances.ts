import { afterAll, beforeAll } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import type { RunningGateway } from '#gateway/node/start-node-gateway.ts'
import { readSandboxSettings } from '#gateway/settings/settings.ts'
import type { NativeGuard } from '#migration/control/guard.ts'
import { type DatabaseRelay, startDatabaseRelay } from '#test/support/database-relay.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { testOperators } from '#test/support/operators.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { type Faults, nativeTimeoutMs } from './inject-faults.ts'
import { startWriteCore } from './write-core.ts'

export interface FaultyInstance {
  readonly running: RunningGateway
  readonly routingRelay: DatabaseRelay
}

interface FaultyInstancesOptions {
  readonly faults: Faults
  /** Called for each request: whether the guard has paused the route. */
  readonly isPaused: () => boolean
}

/**
 * Starts two gateways with faults on a shared database and core, and a third gateway without faults for the operator
 * API. All three stop after the test file.
 */
export const startFaultyInstances = ({ faults, isPaused }: FaultyInstancesOptions) => {
  const healthy = startTestGateway({ environment: { OPERATORS: testOperators } })
  const log = createRecordingLog()
  // The guard stops routes as usual, but `isPaused` replaces its pauses. Native fails so often here that the usual
  // pauses would keep most writes away from it.
  const guard = (own: NativeGuard): NativeGuard => ({
    ...own,
    mayTryNative: (label) => !own.isStopped(label) && !isPaused(),
  })

  const startInstance = async (databaseUrl: string, coreUrl: string): Promise<FaultyInstance> => {
    const routingRelay = await startDatabaseRelay(healthy.database.directUrl)
    const settings = readSandboxSettings({
      ...healthy.environment,
      DATABASE_URL: databaseUrl,
      DATABASE_DIRECT_URL: routingRelay.url,
      CORE_BASE_URL: coreUrl,
    })
    const { handlers } = faults
    return {
      routingRelay,
      running: await startGateway({ settings, log, handlers, nativeTimeoutMs, guard }),
    }
  }

  const open = async () => {
    const core = await startWriteCore(faults.drawCoreFault)
    const relay = await startDatabaseRelay(healthy.database.url)
    relay.onStatement = faults.drawDatabaseFault
    const instances = [await startInstance(relay.url, core.url), await startInstance(relay.url, core.url)]
    const close = async () => {
      await Promise.all(instances.map(({ running }) => running.close()))
      await Promise.all(
        [relay, ...instances.map(({ routingRelay }) => routingRelay), core].map((each) => each.close()),
      )
    }
    return { core, relay, instances, close }
  }

  let opened: Awaited<ReturnType<typeof open>> | null = null
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened?.close())
  const requireOpened = () => {
    if (opened === null) throw new Error('the instances are not started yet')
    return opened
  }
  return {
    healthy,
    faults,
    log,
    instances: () => requireOpened().instances,
    core: () => requireOpened().core,
    relay: () => requireOpened().relay,
  }
}

export type FaultyInstances = ReturnType<typeof startFaultyInstances>
