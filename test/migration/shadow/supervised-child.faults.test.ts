import { deserialize, serialize } from 'node:v8'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEcho as echo, openChild, poll, type Task } from './open-child.ts'

describe('a supervised child process', { timeout: 60_000 }, () => {
  it.each([
    ['loops forever', { kind: 'loop' }, 'unresponsive'],
    ['hangs', { kind: 'hang' }, 'unresponsive'],
    ['exits', { kind: 'exit' }, 'exited'],
    ['leaks buffers', { kind: 'leak' }, 'memory'],
    ['fills its heap', { kind: 'leakHeap' }, 'memory'],
    ['sends a result that is too large', { kind: 'large', value: 300_000 }, 'invalid_message'],
  ])('is replaced if it %s, and only that task is lost', async (_, task: Task, reason) => {
    const { child, results, drops, reasons } = openChild({
      limits: {
        responseTimeoutMs: reason === 'unresponsive' ? 1000 : 10_000,
        concurrency: 1,
        // Only the heap limit, which derives from this, may end `leakHeap`. From its start, the process uses more than
        // 64 MiB, so the first check of its memory is delayed until it no longer matters.
        memoryBytes: (task.kind === 'leakHeap' ? 64 : 160) * 1024 * 1024,
        memoryIntervalMs: task.kind === 'leakHeap' ? 60_000 : 20,
      },
    })
    child.offer(echo(1))
    child.offer(task)
    child.offer(echo(2))
    await poll(() => results).toEqual([1, 2])
    expect(drops).toEqual([[task.kind, task.value, reason]])
    expect(reasons()).toEqual([reason])
  })

  it.each([
    [
      'throws',
      'throw',
      'task_failed',
      { name: 'TypeError', at: expect.arrayContaining([expect.any(String)]) },
    ],
    [
      'has a result that cannot be sent',
      'unsendable',
      'task_failed',
      expect.objectContaining({ name: 'TypeError' }),
    ],
    ['has an invalid result', 'invalid', 'invalid_result', expect.objectContaining({ name: 'Error' })],
  ])('continues after a task that %s, and logs it', async (_, kind, reason, failure) => {
    const { child, results, drops, log, reasons } = openChild({ limits: { concurrency: 1 } })
    child.offer(echo(1))
    await poll(() => results).toEqual([1])
    const pid = child.pid()
    child.offer({ kind })
    child.offer(echo(2))
    await poll(() => results).toEqual([1, 2])
    expect(child.pid()).toBe(pid)
    expect(drops).toEqual([[kind, undefined, reason]])
    expect(log.lines).toEqual([
      expect.objectContaining({ message: 'comparison failed', fields: { reason, failure } }),
    ])
    expect(JSON.stringify(log.lines)).not.toContain('secret')
    expect(reasons()).toEqual([])
  })

  it('continues after a task that it cannot read', async () => {
    const { child, results, drops, log } = openChild({ limits: { concurrency: 1 } })
    child.offer(echo(1))
    await poll(() => results).toEqual([1])
    const pid = child.pid()
    const nest = (levels: number) =>
      Array.from({ length: levels }).reduce<unknown>((inner) => ({ inner }), null)
    const isWritable = (levels: number) => {
      try {
        return serialize(nest(levels)).length > 0
      } catch {
        return false
      }
    }
    // A level of nesting takes more stack to read than to write.
    let levels = 1000
    while (isWritable(levels * 1.2)) levels += 100
    const body = nest(levels)
    expect(() => deserialize(serialize(body))).toThrow(RangeError)
    child.offer({ kind: 'echo', body })
    child.offer(echo(2))
    await poll(() => results).toEqual([1, 2])
    expect(child.pid()).toBe(pid)
    expect(drops).toEqual([['echo', undefined, 'task_failed']])
    expect(log.lines.map(({ message }) => message)).toEqual(['comparison failed'])
  })

  it('is killed if one task has no result, even while it completes other tasks', async () => {
    const { child, results, drops } = openChild({ limits: { concurrency: 2, responseTimeoutMs: 1000 } })
    child.offer({ kind: 'hang' })
    const timer = setInterval(() => child.offer(echo(1)), 20)
    onTestFinished(() => clearInterval(timer))
    await poll(() => drops.map(([kind, , reason]) => `${kind} ${reason}`)).toContain('hang unresponsive')
    expect(results.length).toBeGreaterThan(0)
  })
})
