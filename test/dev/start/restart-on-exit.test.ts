import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { restartOnExit } from '#dev/start/start-child.ts'

describe('a process that is restarted when it exits', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const open = async () => {
    const exits: (() => void)[] = []
    const stopping = new AbortController()
    const running = await restartOnExit(async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      exits.push(resolve)
      return { pid: 1, exited: promise, stop: async () => resolve() }
    }, stopping.signal)
    return { running, stopping, started: () => exits.length, exit: () => exits.at(-1)?.() }
  }

  it('starts again a second after each exit', async () => {
    const { exit, started } = await open()
    for (const count of [2, 3]) {
      exit()
      await vi.advanceTimersByTimeAsync(999)
      expect(started()).toBe(count - 1)
      await vi.advanceTimersByTimeAsync(1)
      expect(started()).toBe(count)
    }
  })

  it('can be stopped while it is restarting', async () => {
    const stopped: number[] = []
    const launches: PromiseWithResolvers<void>[] = []
    const exits: PromiseWithResolvers<void>[] = []
    const start = async () => {
      const pid = launches.push(Promise.withResolvers())
      exits.push(Promise.withResolvers())
      await launches[pid - 1]?.promise
      return { pid, exited: exits[pid - 1]!.promise, stop: async () => void stopped.push(pid) }
    }
    const starting = restartOnExit(start, new AbortController().signal)
    launches[0]?.resolve()
    const running = await starting
    exits[0]?.resolve()
    await vi.advanceTimersByTimeAsync(1000)
    const stopping = running.stop()
    launches[1]?.resolve()
    await stopping
    expect(stopped).toEqual([2])
  })

  it('is not restarted after the stop signal, even while other processes are still stopping', async () => {
    const { exit, started, stopping, running } = await open()
    exit()
    await vi.advanceTimersByTimeAsync(500)
    stopping.abort()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(started()).toBe(1)
    await running.stop()
  })
})
