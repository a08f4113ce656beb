import type { Socket } from 'node:net'
import type { CollectedMetric } from '../../observability/metric-family.ts'
import type { States } from '../../observability/readiness.ts'

/** What one process of a gateway reports to the others. */
export interface ProcessReports {
  readonly metrics: () => Promise<readonly CollectedMetric[]>
  readonly states: () => Promise<States>
}

/** A listener by the setting of its port. */
export type ListenerName = 'PORT' | 'ADMIN_PORT'

/** The processes that are one gateway together, as one of them sees them. Its own reports are among those of all. */
export interface ProcessGroup {
  /** How many processes the settings ask for. */
  readonly size: number
  /** Receives a share of the connections of a listener from now on; resolves to its port. Throws `ListenError`. */
  listen(listener: ListenerName, accept: (socket: Socket) => void): Promise<number>
  /** Sets what this process reports from now on. */
  provide(reports: ProcessReports): void
  /** The metrics of all processes, aggregated, in the text format of Prometheus. */
  formatMetrics(): Promise<string>
  /** The states of each process that responds in time. */
  readStates(): Promise<readonly States[]>
}
