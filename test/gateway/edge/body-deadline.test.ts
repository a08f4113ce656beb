import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startBodyDeadline } from '#gateway/edge/body-deadline.ts'
import { progressLimits } from '#test/support/progress-limits.ts'

it.each([
  ['each pause', { progress: progressLimits({ pauseTimeoutMs: 300 }) }],
  ['the whole body', { progress: progressLimits({}), timeoutMs: 300 }],
])('the time limit for %s leaves out time for which the process was paused', async (_, limits) => {
  let isExpired = false
  const deadline = startBodyDeadline(limits, () => {
    isExpired = true
  })
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)
  await sleep(20)
  expect(isExpired).toBe(false)
  await expect.poll(() => isExpired).toBe(true)
  deadline.stop()
})
