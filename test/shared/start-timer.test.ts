import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startTimer } from '#shared/start-timer.ts'

// Simulates a process that was paused.
const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

describe('a timer', () => {
  const start = (ms: number) => {
    const state = { isOver: false }
    const cancel = startTimer(ms, () => {
      state.isOver = true
    })
    return { state, cancel }
  }

  it('is over after its time', async () => {
    const { state } = start(20)
    expect(state.isOver).toBe(false)
    await expect.poll(() => state.isOver).toBe(true)
  })

  it('starts over if the process was paused', async () => {
    const { state } = start(200)
    block(1300)
    await sleep(50)
    expect(state.isOver).toBe(false)
    await expect.poll(() => state.isOver).toBe(true)
  })

  it('starts over only once, so that it ends even if the event loop is always late', async () => {
    const { state } = start(100)
    block(1200)
    await sleep(20)
    expect(state.isOver).toBe(false)
    block(1300)
    await sleep(20)
    expect(state.isOver).toBe(true)
  })

  it('can be cancelled, even after it has started over', async () => {
    const { state, cancel } = start(100)
    block(1200)
    await sleep(20)
    cancel()
    await sleep(200)
    expect(state.isOver).toBe(false)
  })
})
