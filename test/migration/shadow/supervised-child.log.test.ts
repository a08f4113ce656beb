import { describe, expect, it } from 'vitest'
import { summarizeStderr } from '#migration/shadow/spawn-child.ts'
import { createEcho as echo, openChild, poll } from './open-child.ts'

describe('the log of a supervised child process', () => {
  it('has the exit code, and the error without its message', async () => {
    const { child, exits } = openChild({ limits: { concurrency: 1 } })
    child.offer({ kind: 'throwLater' })
    child.offer({ kind: 'exit' })
    await poll(exits).toHaveLength(2)
    const [thrown, exited] = exits()
    expect(thrown).toMatchObject({ code: 1, signal: null, dropped: 1, failure: { name: 'TypeError' } })
    expect(JSON.stringify(thrown)).toMatch(/at .*faulty-child\.mjs:\d+:\d+/)
    expect(JSON.stringify(thrown)).not.toContain('secret')
    expect(exited).toMatchObject({ code: 3, signal: null, failure: { name: null, at: [] } })
  })

  it('is based on only part of stderr if the child writes a lot', async () => {
    const { child, results, exits } = openChild({ limits: { concurrency: 1 } })
    child.offer({ kind: 'fillStderr', value: 1_000_000 })
    child.offer(echo(1))
    child.offer({ kind: 'exit' })
    await poll(exits).toEqual([
      expect.objectContaining({ reason: 'exited', code: 3, failure: { name: null, at: [] } }),
    ])
    expect(results).toEqual([expect.any(Boolean), 1])
  })

  it('names the signal that ended the child', async () => {
    const { child, results, exits } = openChild()
    child.offer(echo(1))
    await poll(() => results).toEqual([1])
    process.kill(child.pid()!, 'SIGTERM')
    await poll(exits).toEqual([expect.objectContaining({ reason: 'exited', code: null, signal: 'SIGTERM' })])
  })

  it("says only once that the child's memory usage cannot be read", async () => {
    const { child, reasons, log } = openChild({ readUsage: async () => null, limits: { concurrency: 1 } })
    child.offer({ kind: 'exit' })
    child.offer({ kind: 'exit' })
    await poll(reasons).toHaveLength(2)
    expect(
      log.lines.filter(({ message }) => message.startsWith('shadow process memory unreadable')),
    ).toHaveLength(1)
  })

  it('has the last error from stderr, with at most 8 frames', () => {
    const frames = Array.from({ length: 20 }, (_, index) => `    at call (file:///a.ts:${index}:1)`)
    const text = ['RangeError: first', '    at x (a:1:1)', 'value', 'Error [code]: text', ...frames].join(
      '\n',
    )
    expect(summarizeStderr(text)).toEqual({
      name: 'Error',
      at: frames.slice(0, 8).map((frame) => frame.trim()),
    })
  })
})
