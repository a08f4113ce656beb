import { expect, it, vi } from 'vitest'
import { createLazyComparer } from '#migration/live/start-comparisons.ts'
import type { Comparer } from '#migration/shadow/compare.ts'

const task = { kind: 'keep-native', id: '1', label: 'tracks.list' } as const
const request = { method: 'GET', path: '/v1/tracks', query: '', headers: {}, actor: null }

it('a comparer that could not be opened takes up no capacity', async () => {
  const { compare, hasCapacity } = createLazyComparer(() => {
    throw new Error('a folder is missing')
  })
  for (let tasks = 0; tasks < 40; tasks += 1) await expect(compare({ ...task, request })).rejects.toThrow()
  expect(hasCapacity()).toBe(true)
})

it('a comparer that was closed before its first use is never opened', async () => {
  const open = vi.fn<() => Comparer>()
  const { compare, close } = createLazyComparer(open)
  await close()
  expect(await compare({ ...task, request })).toEqual({ kind: 'dropped', reason: 'closed' })
  expect(open).not.toHaveBeenCalled()
})
