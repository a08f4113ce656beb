import { expect, it } from 'vitest'
import { createLaterWrites } from '#migration/live/read-back.ts'

const path = '/v1/libraries/lib_1'

it.each([
  ['the same client to the same resource', 'client', `${path}/tracks`, true],
  ['the same client to a different resource', 'client', '/v1/libraries/lib_2', false],
  ['a different client', 'other', path, false],
])('a watch for later writes, after a write by %s, returns $3', (_, client, written, isWrittenAgain) => {
  const writes = createLaterWrites()
  writes.note('client', path)
  const end = writes.watch('client', ['lib_1'])
  writes.note(client, written)
  expect(end()).toBe(isWrittenAgain)
})

it('a watch for later writes notices nothing after it has ended, and other watches keep running', () => {
  const writes = createLaterWrites()
  const first = writes.watch('client', ['lib_1'])
  expect(first()).toBe(false)
  const second = writes.watch('client', ['lib_1'])
  first()
  writes.note('client', path)
  expect([first(), second()]).toEqual([false, true])
})
