import { describe, expect, it } from 'vitest'
import { rememberReads } from '#migration/api/remember-reads.ts'

const open = () => {
  let time = 0
  let reads = 0
  const remember = rememberReads<number>(60_000, () => time)
  return {
    advance: (ms: number) => {
      time += ms
    },
    read: (key = 'a') => remember(key, async () => ++reads),
    fail: () => remember('a', () => Promise.reject(new Error('no database'))),
  }
}

describe('a remembered read', () => {
  it('is shared for a minute by all callers that ask for the same thing', async () => {
    const { read, advance } = open()
    expect(await Promise.all([read(), read(), read('b')])).toEqual([1, 1, 2])
    advance(59_999)
    expect(await read()).toBe(1)
    advance(1)
    expect(await read()).toBe(3)
  })

  it('is repeated if it failed or if the clock was set back', async () => {
    const { read, fail, advance } = open()
    await expect(fail()).rejects.toThrow('no database')
    expect(await read()).toBe(1)
    advance(-1)
    expect(await read()).toBe(2)
  })
})
