import { describe, expect, it, onTestFinished } from 'vitest'
import { createEcho as echo, openChild, poll, type Task } from './open-child.ts'

describe('a supervised child process', { timeout: 60_000 }, () => {
  it.each([
    ['loops for ever', { kind: 'loop' }, 'unresponsive'],
    ['hangs', { kind: 'hang' }, 'unresponsive'],
    ['throws', { kind: 'throw' }, 'exited'],
    ['leaks buffers', { kind: 'leak' }, 'memory'],
    ['fills its heap', { kind: 'leakHeap' }, 'memory'],
    ['sends an invalid result', { kind: 'invalid' }, 'invalid_result'],
    ['sends too large a result', { kind: 'large', value: 300_000 }, 'invalid_result'],
  ])('is replaced when it %s, which costs it only that task', async (_, task: Task, reason) => {
    const { child, results, drops, reasons } = openChild({
      limits: {
        responseTimeoutMs: reason === 'unresponsive' ? 1000 : 10_000,
        concurrency: 1,
        // Where the heap alone is limited, less than the process has at its start.
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

  it('is killed for one task without a result, although it completes others', async () => {
    const { child, results, drops } = openChild({ limits: { concurrency: 2, responseTimeoutMs: 1000 } })
    child.offer({ kind: 'hang' })
    const timer = setInterval(() => child.offer(echo(1)), 20)
    onTestFinished(() => clearInterval(timer))
    await poll(() => drops.map(([kind, , reason]) => `${kind} ${reason}`)).toContain('hang unresponsive')
    expect(results.length).toBeGreaterThan(0)
  })
})
