import type { Log } from '#gateway/observability/log.ts'
import { describeError } from '#shared/describe-error.ts'
import { createRestart } from '#shared/processes/child-process.ts'
import { readProcessUsage } from '#shared/processes/process-usage.ts'
import { RunningChild } from './running-child.ts'
import {
  type ChildLimits,
  type ChildProgram,
  defaultChildLimits,
  type DropReason,
  type ExitReason,
  type TaskProcessExit,
} from './spawn-child.ts'

interface ChildOptions<Task, Result> extends ChildProgram {
  /** Parses a result given as JSON. Throws if it is invalid. */
  readonly parseResult: (result: unknown) => Result
  readonly onResult: (task: Task, result: Result) => void
  readonly onDrop: (task: Task, reason: DropReason) => void
  readonly log: Pick<Log, 'warn'>
  readonly limits?: Partial<ChildLimits>
  readonly readUsage?: typeof readProcessUsage
}

/**
 * Runs tasks in a child process that may hang, loop, leak or crash. If it does, it is killed, its tasks are dropped,
 * and after a backoff the next task starts it again. If a task throws or has an invalid result, only that task is
 * dropped. The child runs at the lowest priority, so it does not take time that requests need.
 */
export const createSupervisedChild = <Task, Result>(options: ChildOptions<Task, Result>) => {
  const { parseResult, onResult, onDrop, log, readUsage = readProcessUsage } = options
  const limits = { ...defaultChildLimits, ...options.limits }
  const waiting: Task[] = []
  let running: RunningChild<Task, Result> | null = null
  let hasCheckedPlatform = false
  let isClosed = false

  const callSafely = (callback: () => void) => {
    try {
      callback()
    } catch (error) {
      log.warn({ failure: describeError(error) }, 'shadow callback failed')
    }
  }

  const drop = (task: Task, reason: DropReason) => callSafely(() => onDrop(task, reason))

  const sendWaiting = () => {
    while (running?.hasCapacity) {
      const task = waiting.shift()
      if (task === undefined) return
      try {
        running.send(task)
      } catch {
        drop(task, 'invalid_task')
      }
    }
  }

  const finish = (
    reason: ExitReason,
    { code, signal, failure }: TaskProcessExit,
    dropped: readonly Task[],
  ) => {
    running = null
    if (reason !== 'closed') {
      restart.countFailure()
      log.warn({ reason, code, signal, failure, dropped: dropped.length }, 'shadow process exited')
    }
    for (const task of dropped) drop(task, reason)
    // `onDrop` may have offered a task, which may have started the child already.
    if (waiting.length > 0 && !running) restart.start()
  }

  const checkPlatform = async () => {
    if (hasCheckedPlatform) return
    hasCheckedPlatform = true
    if ((await readUsage(process.pid)) === null)
      log.warn({}, 'shadow process memory unreadable, limiting only its heap')
  }

  const start = () => {
    running = new RunningChild<Task, Result>({
      program: options,
      limits,
      readUsage,
      parseResult,
      onReady() {
        void checkPlatform()
        sendWaiting()
      },
      onResult(task, result) {
        restart.forgetFailures()
        callSafely(() => onResult(task, result))
        sendWaiting()
      },
      onFault(task, reason, failure) {
        log.warn({ reason, failure }, 'comparison failed')
        drop(task, reason)
        sendWaiting()
      },
      onExit: finish,
    })
  }

  const restart = createRestart(start, { delayMs: limits.backoffMs, maxDelayMs: limits.maxBackoffMs })

  return {
    /**
     * Passes a task to the child, starting the child if needed. Never waits or throws. The task is copied when it is
     * sent, as by `structuredClone`, so it may contain buffers.
     */
    offer(task: Task) {
      if (isClosed) return drop(task, 'closed')
      waiting.push(task)
      const oldest = waiting.length > limits.queueLength ? waiting.shift() : undefined
      if (oldest !== undefined) drop(oldest, 'queue_full')
      if (running) sendWaiting()
      else restart.start()
    },
    pid: () => running?.pid ?? null,
    async close() {
      isClosed = true
      restart.cancel()
      for (const task of waiting.splice(0)) drop(task, 'closed')
      if (!running) return
      const { exited } = running
      running.kill('closed')
      await exited
    },
  }
}
