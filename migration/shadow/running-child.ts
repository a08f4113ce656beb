import { describeError } from '#shared/describe-error.ts'
import { startTimeout } from '#shared/processes/child-process.ts'
import { type ProcessUsage, type readProcessUsage, watchUsage } from '#shared/processes/process-usage.ts'
import { type ChildMessage, parseChildMessage } from './child-messages.ts'
import {
  type ChildLimits,
  type ChildProgram,
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
export class RunningChild<Task, Result> {
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
