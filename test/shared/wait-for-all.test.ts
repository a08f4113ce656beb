import { expect, it } from 'vitest'
import { waitForAll } from '#shared/wait-for-all.ts'

it('waits for all work even if the first promise rejects, then throws its error', async () => {
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
