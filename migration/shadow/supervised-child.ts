import type { Log } from '#gateway/observability/log.ts'
import { describeError } from '#shared/describe-error.ts'
import { createRestart, startTimeout } from '#shared/processes/child-process.ts'
import { type ProcessUsage, readProcessUsage, watchUsage } from '#shared/processes/process-usage.ts'
import { type ChildMessage, parseChildMessage } from './child-messages.ts'
import {
  type ChildLimits,
  type ChildProgram,
  type DropReason,
  defaultChildLimits,
  type ExitReason,
  type FaultReason,
  spawnChild,
  type TaskProcessExit,
} from './spawn-child.ts'

interface RunningChildOptions<Task, Result> {
  readonly program: ChildProgram
  readonly limits: ChildLimits
  readonly readUsage: typeof readProcessUsage
  readonly parseResult: (result: unknown) => Result
  /** None of these callbacks may throw. */
  readonly onReady: () => void
  readonly onResult: (task: Task, result: Result) => void
  /** `failure` is safe to log. */
  readonly onFault: (task: Task, reason: FaultReason, failure: object) => void
  readonly onExit: (reason: ExitReason, exit: TaskProcessExit, dropped: readonly Task[]) => void
}

interface SentTask<Task> {
  readonly task: Task
  readonly cancelTimeout: () => void
}

/** One child process, from start to exit. It is killed if it exceeds any limit. */
class RunningChild<Task, Result> {
  readonly exited: Promise<void>
  readonly #options: RunningChildOptions<Task, Result>
  readonly #handle: ReturnType<typeof spawnChild>
  readonly #tasks = new Map<number, SentTask<Task>>()
  readonly #stopWatching: () => void
  /** Cancels the start or idle timeout. */
  #cancelTimeout: () => void
  #isReady = false
  #exitReason: ExitReason | null = null
  #lastId = 0

  constructor(options: RunningChildOptions<Task, Result>) {
    const { limits, program, readUsage } = options
    this.#options = options
    this.#cancelTimeout = startTimeout(limits.startTimeoutMs, () => this.kill('start_timeout'))
    this.#handle = spawnChild(program, limits, {
      onMessage: (payload) => this.#receive(payload),
      onInvalidFrame: () => this.kill('invalid_message'),
    })
    this.exited = this.#handle.exited.then((exit) => this.#finish(exit))
    const checkMemory = ({ memoryBytes }: ProcessUsage) => {
      if (memoryBytes > limits.memoryBytes) this.kill('memory')
    }
    this.#stopWatching = watchUsage(this.pid, limits.memoryIntervalMs, checkMemory, readUsage)
  }

  get pid() {
    return this.#handle.pid
  }

  get hasCapacity() {
    return this.#isReady && this.#exitReason === null && this.#tasks.size < this.#options.limits.concurrency
  }

  /** @throws if the task cannot be serialized. */
  send(task: Task) {
    this.#lastId += 1
    this.#handle.send({ id: this.#lastId, task })
    this.#cancelTimeout()
    const { responseTimeoutMs } = this.#options.limits
    const cancelTimeout = startTimeout(responseTimeoutMs, () => this.kill('unresponsive'))
    this.#tasks.set(this.#lastId, { task, cancelTimeout })
  }

  kill(reason: ExitReason) {
    this.#exitReason ??= reason
    this.#handle.kill()
  }

  #receive(payload: Buffer) {
    if (this.#exitReason !== null) return
    const message = parseChildMessage(payload)
    if (message === null) return this.kill('invalid_message')
    if (message.kind !== 'ready') return this.#receiveEnd(message)
    if (this.#isReady) return this.kill('invalid_message')
    this.#isReady = true
    this.#startIdleTimer()
    this.#options.onReady()
  }

  #receiveEnd(message: Exclude<ChildMessage, { kind: 'ready' }>) {
    const sent = this.#tasks.get(message.id)
    // Otherwise a child could flood this process with results for tasks that were never sent.
    if (!sent) return this.kill('invalid_message')
    sent.cancelTimeout()
    this.#tasks.delete(message.id)
    if (this.#tasks.size === 0) this.#startIdleTimer()
    const { onResult, onFault } = this.#options
    if (message.kind === 'failure') return onFault(sent.task, 'task_failed', message.failure)
    const parsed = this.#parse(message.result)
    if ('failure' in parsed) return onFault(sent.task, 'invalid_result', parsed.failure)
    onResult(sent.task, parsed.value)
  }

  #startIdleTimer() {
    this.#cancelTimeout()
    this.#cancelTimeout = startTimeout(this.#options.limits.idleTimeoutMs, () => this.kill('closed'))
  }

  #parse(result: unknown) {
    try {
      return { value: this.#options.parseResult(result) }
    } catch (error) {
      return { failure: describeError(error) }
    }
  }

  #finish(exit: TaskProcessExit) {
    this.#cancelTimeout()
    this.#stopWatching()
    const sent = [...this.#tasks.values()]
    this.#tasks.clear()
    for (const { cancelTimeout } of sent) cancelTimeout()
    // V8 aborts a process when its heap is full.
    const reason = this.#exitReason ?? (exit.signal === 'SIGABRT' ? 'memory' : 'exited')
    this.#exitReason = reason
    this.#options.onExit(
      reason,
      exit,
      sent.map(({ task }) => task),
    )
  }
}

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
