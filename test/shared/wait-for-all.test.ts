import { expect, it } from 'vitest'
import { waitForAll } from '#shared/wait-for-all.ts'

it("waitForAll waits for all work even if the first promise rejects, then throws that promise's error", async () => {
  const slow = Promise.withResolvers<void>()
  let hasEnded = false
  const waiting = waitForAll([Promise.reject(new Error('first')), undefined, slow.promise]).finally(() => {
    hasEnded = true
  })
  waiting.catch(() => {})
  await new Promise(setImmediate)
  expect(hasEnded).toBe(false)
  slow.resolve()
  await expect(waiting).rejects.toThrow('first')
})
