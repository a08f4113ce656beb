/** What the child process may use. Times in milliseconds. */
export interface ChildLimits {
  /** How many tasks may wait. In a full queue, a new task replaces the oldest. */
  readonly queueLength: number
  /** How many tasks the child has at a time. */
  readonly concurrency: number
  /** From the process's start until it accepts tasks. */
  readonly startTimeoutMs: number
  /** From sending a task to its result. After this the child is killed, whatever its other tasks do. */
  readonly responseTimeoutMs: number
  /** Maximum size of a result as JSON. */
  readonly resultBytes: number
  readonly memoryBytes: number
  readonly memoryIntervalMs: number
  /** How long the child stays without a task. */
  readonly idleTimeoutMs: number
  /** How long to wait before restarting a failed child. Doubles with each failure in a row, up to `maxBackoffMs`. */
  readonly backoffMs: number
  readonly maxBackoffMs: number
}

export const defaultChildLimits: ChildLimits = {
  queueLength: 64,
  concurrency: 2,
  startTimeoutMs: 30_000,
  responseTimeoutMs: 2000,
  resultBytes: 256 * 1024,
  memoryBytes: 320 * 1024 * 1024,
  memoryIntervalMs: 250,
  idleTimeoutMs: 60_000,
  backoffMs: 1000,
  maxBackoffMs: 60_000,
}

/**
 * Why the child process ended: it was not ready in time, did not respond, used too much memory, sent something other
 * than a result, or exited by itself; or it is no longer needed.
 */
export type ExitReason = 'start_timeout' | 'unresponsive' | 'memory' | 'invalid_message' | 'exited' | 'closed'

/** Why a task has no result while the child process goes on: it threw, or its result is invalid. */
export type FaultReason = 'task_failed' | 'invalid_result'

/** Why a task has no result: dropped for a newer one, not serializable, failed alone, or the child process ended. */
export type DropReason = 'queue_full' | 'invalid_task' | FaultReason | ExitReason
