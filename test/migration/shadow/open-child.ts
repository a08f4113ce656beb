import { expect, onTestFinished } from 'vitest'
import type { ChildLimits } from '#migration/shadow/spawn-child.ts'
import { createSupervisedChild } from '#migration/shadow/supervised-child.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

export interface Task {
  readonly kind: string
  readonly value?: number | string
  readonly body?: unknown
  /** Whether the callbacks throw. */
  readonly fails?: boolean
}

interface Options {
  readonly limits?: Partial<ChildLimits>
  readonly env?: Readonly<Record<string, string>>
  readonly execArgv?: readonly string[]
  readonly readUsage?: () => Promise<null>
}

export const openChild = ({ limits, env = {}, execArgv = [], ...rest }: Options = {}) => {
  const log = createRecordingLog()
  const results: unknown[] = []
  const drops: (readonly [kind: string, value: Task['value'], reason: string])[] = []
  const failIf = (fails: boolean | undefined) => {
    if (fails) throw new Error('callback')
  }
  const child = createSupervisedChild<Task, unknown>({
    module: new URL('./faulty-child.mjs', import.meta.url),
    execArgv,
    env,
    parseResult: (result) => {
      if (result === 'invalid') throw new Error('invalid')
      return result
    },
    onResult: ({ fails }, result) => {
      results.push(result)
      failIf(fails)
    },
    onDrop: ({ kind, value, fails }, reason) => {
      drops.push([kind, value, reason])
      failIf(fails)
    },
    log,
    // These are long unless a test waits for them. The child has the lowest priority, and the machine may be busy.
    limits: { backoffMs: 20, memoryIntervalMs: 20, responseTimeoutMs: 10_000, ...limits },
    ...rest,
  })
  onTestFinished(() => child.close())
  const exits = () =>
    log.lines.filter(({ message }) => message === 'shadow process exited').map(({ fields }) => fields)
  const reasons = () => exits().map(({ reason }) => reason)
  return { child, results, drops, log, exits, reasons }
}

export const createEcho = (value: number): Task => ({ kind: 'echo', value })

/** Like `expect.poll`, but waits as long as starting several processes may take. */
export const poll = <T>(read: () => T) => expect.poll(read, { timeout: 25_000, interval: 20 })
