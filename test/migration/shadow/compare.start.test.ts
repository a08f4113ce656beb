import { expect, it, vi } from 'vitest'
import { createComparer } from '#migration/shadow/compare.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { shadowedRequest } from './comparer-fixtures.ts'

const task = {
  kind: 'keep-native',
  id: '1',
  label: 'tracks.list',
  request: shadowedRequest('/v1/tracks'),
} as const
const open = (listeningUrl: () => string) =>
  createComparer({ settings: {} as never, log: createRecordingLog(), listeningUrl })

it('a comparer that could not be opened takes up no capacity', async () => {
  const { compare, hasCapacity } = open(() => {
    throw new Error('a folder is missing')
  })
  for (let tasks = 0; tasks < 40; tasks += 1) await expect(compare(task)).rejects.toThrow()
  expect(hasCapacity()).toBe(true)
})

it('a comparer that was closed before its first use is never opened', async () => {
  const listeningUrl = vi.fn(() => '')
  const { compare, close } = open(listeningUrl)
  await close()
  expect(await compare(task)).toEqual({ kind: 'dropped', reason: 'closed' })
  expect(listeningUrl).not.toHaveBeenCalled()
})
