import { describe, expect, it } from 'vitest'
import { createAnalysisSlots } from '#gateway/adapters/analysis-slots-memory.ts'

const { signal } = new AbortController()

/** Reads that end when the test says so, and the names of those that have started. */
const createReads = () => {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const read = (name: string) => async () => {
    begun.push(name)
    const { promise, resolve } = Promise.withResolvers<void>()
    ends.set(name, resolve)
    await promise
    return name
  }
  return { begun, read, end: (name: string) => ends.get(name)?.() }
}

describe('the catalogue analysis slots', () => {
  it('allow one run per account and two in total, in request order', async () => {
    const slots = createAnalysisSlots(2)
    const { begun, read, end } = createReads()
    const names = ['a1', 'a2', 'b1', 'c1', 'a3']
    const running = names.map((name) => slots.run(name.slice(0, 1), read(name), signal))
    await expect.poll(() => begun).toEqual(['a1', 'b1'])
    end('a1')
    await running[0]
    await expect.poll(() => begun).toEqual(['a1', 'b1', 'a2'])
    for (const name of ['b1', 'a2', 'c1']) {
      await expect.poll(() => begun).toContain(name)
      end(name)
    }
    await expect.poll(() => begun).toEqual(['a1', 'b1', 'a2', 'c1', 'a3'])
    end('a3')
    expect(await Promise.all(running)).toEqual(names)
  })

  it('are free again after a failure', async () => {
    const slots = createAnalysisSlots(1)
    const failing = slots.run('a', () => Promise.reject(new Error('lost')), signal)
    await expect(failing).rejects.toThrow('lost')
    expect(await slots.run('a', async () => 'read', signal)).toBe('read')
  })

  it('are not taken by a request that was cancelled while it waited', async () => {
    const slots = createAnalysisSlots(1)
    const { begun, read, end } = createReads()
    const first = slots.run('a', read('first'), signal)
    const controller = new AbortController()
    const cancelled = slots.run('b', read('cancelled'), controller.signal)
    const last = slots.run('c', read('last'), signal)
    controller.abort(new Error('gone'))
    await expect(cancelled).rejects.toThrow('gone')
    end('first')
    await first
    await expect.poll(() => begun).toEqual(['first', 'last'])
    end('last')
    await last
    await expect(slots.run('a', read('late'), controller.signal)).rejects.toThrow('gone')
  })
})
