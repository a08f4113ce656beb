export interface SupervisorTiming {
  /** The delay before a process that has exited is started again; doubled for each exit soon after its start. */
  readonly minRestartDelayMs: number
  readonly maxRestartDelayMs: number
  /** A process that has run for this long starts again after the shortest delay. */
  readonly stableMs: number
  /** A process that is not ready after this time is killed. */
  readonly startTimeoutMs: number
  /** How long the start of the gateway waits for processes other than the first. */
  readonly startWaitMs: number
  readonly pingIntervalMs: number
  /** How many pings a process may leave without a response before it is killed. */
  readonly maxUnansweredPings: number
}

// Twelve pings are two minutes in which the event loop of a process has not run once: longer than clients wait, and far
// longer than the load of a machine delays it. A shorter limit would kill processes that are only slow.
export const defaultTiming: SupervisorTiming = {
  minRestartDelayMs: 250,
  maxRestartDelayMs: 30_000,
  stableMs: 60_000,
  // Longer than a migration may take.
  startTimeoutMs: 300_000,
  startWaitMs: 30_000,
  pingIntervalMs: 10_000,
  maxUnansweredPings: 12,
}
