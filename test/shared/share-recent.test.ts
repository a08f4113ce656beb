import { describe, expect, it } from 'vitest'
import { shareRecent } from '#shared/share-recent.ts'

const startReads = () => {
  const pending: PromiseWithResolvers<number>[] = []
  let at = 0
  const read = shareRecent(
    () => {
      const started = Promise.withResolvers<number>()
      pending.push(started)
      return started.promise
    },
    () => at,
  )
  return {
    read,
    pending,
    advance: (ms: number) => {
      at += ms
    },
  }
}

describe('shareRecent', () => {
  it('reads once for a thousand concurrent callers, however long the read takes', async () => {
    const { read, pending, advance } = startReads()
    const early = Array.from({ length: 500 }, read)
    advance(5000)
    const late = Array.from({ length: 500 }, read)
    expect(pending).toHaveLength(1)
    pending[0]?.resolve(1)
    expect(new Set(await Promise.all([...early, ...late]))).toEqual(new Set([1]))
  })

  it('reads again one second after the last read began', async () => {
    const { read, pending, advance } = startReads()
    const first = read()
    pending[0]?.resolve(1)
    await first
    advance(999)
    expect(await read()).toBe(1)
    advance(1)
    const second = read()
    pending[1]?.resolve(2)
    expect(await second).toBe(2)
  })

  it('shares a failure for a second too, so that an outage causes no additional reads', async () => {
    const { read, pending, advance } = startReads()
    const failing = read()
    pending[0]?.reject(new Error('unavailable'))
    await expect(failing).rejects.toThrow('unavailable')
    await expect(read()).rejects.toThrow('unavailable')
    advance(1000)
    const recovered = read()
    pending[1]?.resolve(2)
    expect(await recovered).toBe(2)
  })
})
