import { describeError } from '#shared/describe-error.ts'
import type { ChildLimits, ExitReason, FaultReason } from './child-limits.ts'
import { type ChildMessage, parseChildMessage } from './child-messages.ts'
import { monitorMemory, type readMemoryBytes } from './read-memory.ts'
import { SentTasks } from './sent-tasks.ts'
import { type ChildExit, type ChildHandle, type ChildProgram, spawnChild } from './spawn-child.ts'

interface RunningChildOptions<Task, Result> {
  readonly program: ChildProgram
  readonly limits: ChildLimits
  readonly readMemory: typeof readMemoryBytes
  /** Throws if the result is invalid. */
  readonly parseResult: (result: unknown) => Result
  /** None of these may throw. */
  readonly onReady: () => void
  readonly onResult: (task: Task, result: Result) => void
  /** `failure` is safe for the log. */
  readonly onFault: (task: Task, reason: FaultReason, failure: object) => void
  readonly onExit: (reason: ExitReason, exit: ChildExit, dropped: readonly Task[]) => void
}

/** One child process from its start to its exit, which each limit that it exceeds brings about. */
export class RunningChild<Task, Result> {
  readonly exited: Promise<void>
  readonly #options: RunningChildOptions<Task, Result>
  readonly #handle: ChildHandle
  readonly #tasks: SentTasks<Task>
  readonly #stopMonitoring: () => void
  /** Until the child is ready, or while it has no task. */
  #timer: NodeJS.Timeout
  #isReady = false
  #exitReason: ExitReason | null = null
  #lastId = 0

  constructor(options: RunningChildOptions<Task, Result>) {
    const { limits, program, readMemory } = options
    const { promise, resolve } = Promise.withResolvers<void>()
    this.exited = promise
    this.#options = options
    this.#tasks = new SentTasks(limits.responseTimeoutMs, () => this.kill('unresponsive'))
    this.#timer = this.#startTimer(limits.startTimeoutMs, 'start_timeout')
    this.#handle = spawnChild(program, limits, {
      onMessage: (payload) => this.#receive(payload),
      onInvalidFrame: () => this.kill('invalid_message'),
      onExit: (exit) => {
        try {
          this.#finish(exit)
        } finally {
          resolve()
        }
      },
    })
    const { pid } = this.#handle
    this.#stopMonitoring =
      pid === undefined ? () => undefined : monitorMemory(pid, limits, readMemory, () => this.kill('memory'))
  }

  get pid() {
    return this.#handle.pid ?? null
  }

  get hasCapacity() {
    return this.#isReady && this.#exitReason === null && this.#tasks.size < this.#options.limits.concurrency
  }

  /** @throws if the task cannot be serialized. */
  send(task: Task) {
    this.#lastId += 1
    this.#handle.send({ id: this.#lastId, task })
    this.#tasks.add(this.#lastId, task)
    clearTimeout(this.#timer)
  }

  kill(reason: ExitReason) {
    this.#exitReason ??= reason
    this.#handle.kill()
  }

  #startTimer(timeoutMs: number, reason: ExitReason) {
    clearTimeout(this.#timer)
    // After the messages that have arrived while this process itself was busy.
    const expire = () =>
      setImmediate(() => {
        if (this.#timer === timer && this.#tasks.size === 0) this.kill(reason)
      })
    const timer = setTimeout(expire, timeoutMs).unref()
    return timer
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
    // A child that sends the results of no task could flood this process.
    if (!sent) return this.kill('invalid_message')
    this.#tasks.delete(message.id)
    if (this.#tasks.size === 0) this.#startIdleTimer()
    const { onResult, onFault } = this.#options
    if (message.kind === 'failure') return onFault(sent.task, 'task_failed', message.failure)
    const parsed = this.#parse(message.result)
    if ('failure' in parsed) return onFault(sent.task, 'invalid_result', parsed.failure)
    onResult(sent.task, parsed.value)
  }

  #startIdleTimer() {
    this.#timer = this.#startTimer(this.#options.limits.idleTimeoutMs, 'closed')
  }

  #parse(result: unknown) {
    try {
      return { value: this.#options.parseResult(result) }
    } catch (error) {
      return { failure: describeError(error) }
    }
  }

  #finish(exit: ChildExit) {
    clearTimeout(this.#timer)
    this.#stopMonitoring()
    // V8 aborts a process whose heap is full.
    const reason = this.#exitReason ?? (exit.signal === 'SIGABRT' ? 'memory' : 'exited')
    this.#exitReason = reason
    this.#options.onExit(reason, exit, this.#tasks.clear())
  }
}
