import type { PromRegistry } from '../../adapters/metrics-prom-client.ts'
import type { MetricsRegistry } from '../../observability/metric-family.ts'
import { type Readiness, reportReadiness } from '../../observability/readiness.ts'
import type { EdgeServer } from '../http-server.ts'
import type { ListenerName, ProcessGroup } from './process-group.ts'

interface OwnReports {
  readonly registry: PromRegistry
  readonly readiness: Readiness
}

interface SharedReports {
  readonly registry: MetricsRegistry
  readonly readiness: Readiness
}

/**
 * Reports this process to the others of its group. The result reads the reports of all: the processes share one admin
 * listener, and any of them may serve a request there.
 */
export const shareWithGroup = (
  group: ProcessGroup,
  { registry, readiness }: OwnReports,
  instance: string,
): SharedReports => {
  const { processState, readStates } = readiness
  group.provide({
    metrics: () => registry.list(),
    states: async () => ({ instance, pid: process.pid, ...(await reportReadiness(readiness)).body }),
  })
  return {
    registry: { register: registry.register, format: () => group.formatMetrics() },
    readiness: {
      processState,
      async readStates() {
        const [states, processes] = await Promise.all([readStates(), group.readStates()])
        return { ...states, processes }
      },
    },
  }
}

/** The counterpart of `listenOrThrow` in a process of a group. */
export const listenInGroup =
  (group: ProcessGroup, listener: ListenerName) =>
  ({ accept }: Pick<EdgeServer, 'accept'>): Promise<number> =>
    group.listen(listener, accept)
