import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createEcho as echo, openChild, poll } from './open-child.ts'

const counting = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('a supervised child process', { timeout: 60_000 }, () => {
  it('starts with the first task, and ends after a while without tasks', async () => {
    const { child, results, reasons } = openChild({ limits: { idleTimeoutMs: 100 } })
    expect(child.pid()).toBeNull()
    child.offer(echo(1))
    await poll(() => results).toEqual([1])
    await poll(child.pid).toBeNull()
    child.offer(echo(2))
    await poll(() => results).toEqual([1, 2])
    expect(reasons()).toEqual([])
  })

  it('inherits no environment, and has the lowest priority', async () => {
    const { child, results } = openChild()
    child.offer({ kind: 'environment' })
    await poll(() => results).toHaveLength(1)
    const [{ env }] = results as [{ env: object }]
    expect(Object.keys(env)).toEqual(expect.not.arrayContaining(['PATH', 'HOME']))
    const stat = await readFile(`/proc/${child.pid()}/stat`, 'latin1')
    expect(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]).toBe('19')
  })

  it('runs under the permission model, and cannot start threads', async () => {
    const root = fileURLToPath(new URL('../../..', import.meta.url))
    const code = ['gateway', 'migration', 'shared', 'test', 'package.json'].map(
      (name) => `--allow-fs-read=${root}${name}`,
    )
    const { child, results } = openChild({ execArgv: ['--permission', ...code] })
    child.offer({ kind: 'environment' })
    await poll(() => results).toEqual([expect.objectContaining({ mayStartThreads: false })])
  })

  it('receives bodies as bytes', async () => {
    const { child, results } = openChild()
    for (const _ of counting(8)) child.offer({ kind: 'size', body: Buffer.alloc(64 * 1024) })
    await poll(() => results).toEqual(counting(8).map(() => ({ isBuffer: true, bytes: 64 * 1024 })))
  })

  it('keeps the newest tasks while it is busy, and drops the oldest', async () => {
    const { child, results, drops } = openChild({ limits: { queueLength: 3, concurrency: 1 } })
    child.offer(echo(100))
    await poll(() => results).toEqual([100])
    for (const value of counting(10)) child.offer(echo(value))
    await poll(() => results).toHaveLength(5)
    expect(results).toEqual([100, 0, 7, 8, 9])
    expect(drops).toEqual([1, 2, 3, 4, 5, 6].map((value) => ['echo', value, 'queue_full']))
  })

  it('has a start timeout that is independent of its task timeout', async () => {
    const { child, results, reasons } = openChild({
      env: { START_MS: '1200' },
      limits: { responseTimeoutMs: 1000 },
    })
    child.offer(echo(1))
    await poll(() => results).toEqual([1])
    expect(reasons()).toEqual([])
  })

  it('is killed when it does not start within its start timeout', async () => {
    const { child, reasons, drops } = openChild({
      env: { START_MS: '60000' },
      limits: { startTimeoutMs: 100, backoffMs: 60_000 },
    })
    child.offer(echo(1))
    await poll(reasons).toEqual(['start_timeout'])
    expect(drops).toEqual([])
    expect(child.pid()).toBeNull()
  })

  it('drops its tasks when it is closed, and accepts no more', async () => {
    const { child, drops } = openChild({ limits: { concurrency: 1 } })
    child.offer({ kind: 'hang' })
    child.offer(echo(1))
    await child.close()
    child.offer(echo(2))
    expect(drops.map(([, , reason]) => reason)).toEqual(['closed', 'closed', 'closed'])
    expect(child.pid()).toBeNull()
  })

  it('survives exceptions in callbacks', async () => {
    const { child, results, drops, log } = openChild({ limits: { concurrency: 1, queueLength: 2 } })
    child.offer({ kind: 'echo', value: 1, fails: true })
    await poll(() => results).toEqual([1])
    child.offer({ kind: 'exit', fails: true })
    child.offer(echo(2))
    await poll(() => results).toEqual([1, 2])
    child.offer({ kind: 'hang', fails: true })
    child.offer({ kind: 'echo', value: 3, fails: true })
    child.offer(echo(4))
    await child.close()
    child.offer({ kind: 'echo', value: 5, fails: true })
    expect(drops.map(([, value, reason]) => [value, reason])).toEqual([
      [undefined, 'exited'],
      [3, 'closed'],
      [4, 'closed'],
      [undefined, 'closed'],
      [5, 'closed'],
    ])
    expect(log.lines.filter(({ message }) => message === 'shadow callback failed')).toHaveLength(5)
  })

  it('drops a task that cannot be serialized', async () => {
    const { child, results, drops } = openChild()
    child.offer({ kind: 'echo', body: () => undefined })
    child.offer(echo(1))
    await poll(() => results).toEqual([1])
    expect(drops).toEqual([['echo', undefined, 'invalid_task']])
  })

  it('starts less and less often while it keeps failing', async () => {
    const { child, reasons } = openChild({ limits: { backoffMs: 200, concurrency: 1 } })
    const startedAt = performance.now()
    for (const _ of [1, 2, 3]) child.offer({ kind: 'exit' })
    await poll(reasons).toHaveLength(3)
    expect(performance.now() - startedAt).toBeGreaterThan(200 + 400)
  })

  it('does not start with an invalid environment, which counts as a failed start', async () => {
    const { child, reasons } = openChild({ env: { INVALID: '\0' } })
    child.offer(echo(1))
    expect(reasons()).toEqual([])
    await poll(() => reasons().slice(0, 2)).toEqual(['exited', 'exited'])
    await child.close()
  })
})
