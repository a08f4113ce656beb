export interface ChildLimits {
  /** How many tasks may wait. If the queue is full, a new task replaces the oldest. */
  readonly queueLength: number
  readonly concurrency: number
  /** Maximum time from the process's start until it accepts tasks. */
  readonly startTimeoutMs: number
  /** Maximum time from sending a task to receiving its result. */
  readonly responseTimeoutMs: number
  /** Maximum size of a result as JSON. */
  readonly resultBytes: number
  readonly memoryBytes: number
  readonly memoryIntervalMs: number
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

export type ExitReason = 'start_timeout' | 'unresponsive' | 'memory' | 'invalid_message' | 'exited' | 'closed'

/** Why a task has no result although the child process continues: the task threw, or its result is invalid. */
export type FaultReason = 'task_failed' | 'invalid_result'

export type DropReason = 'queue_full' | 'invalid_task' | FaultReason | ExitReason
