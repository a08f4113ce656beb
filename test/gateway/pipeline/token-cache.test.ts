import { describe, expect, it } from 'vitest'
import { createTokenCache } from '#gateway/pipeline/token-cache.ts'

const tokenOf = (index: number, length: number) => ({ token: String(index).padStart(length, 'x') })

describe('the cache of verified tokens', () => {
  it.each([50, 1000, 12_000])('holds at most two generations of tokens of %i characters', (length) => {
    const limits = { maxTokens: 100, maxLength: 100_000 }
    const cache = createTokenCache<{ token: string }>(limits)
    const all = Array.from({ length: 1000 }, (_, index) => tokenOf(index, length))
    for (const cached of all) cache.set(cached)
    const kept = all.filter(({ token }) => cache.get(token) !== undefined)
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.length).toBeLessThanOrEqual(2 * limits.maxTokens)
    expect(kept.length * length).toBeLessThanOrEqual(2 * (limits.maxLength + length))
  })

  it('keeps the token that is used while others pass', () => {
    const cache = createTokenCache<{ token: string }>({ maxTokens: 10, maxLength: 100_000 })
    const used = tokenOf(1_000_000, 100)
    cache.set(used)
    for (let index = 0; index < 1000; index++) {
      cache.set(tokenOf(index, 100))
      expect(cache.get(used.token)).toBe(used)
    }
  })

  it('counts a token that is verified again once', () => {
    const cache = createTokenCache<{ token: string }>({ maxTokens: 10, maxLength: 1000 })
    const other = tokenOf(1, 100)
    cache.set(other)
    for (let round = 0; round < 100; round++) cache.set(tokenOf(2, 100))
    expect(cache.get(other.token)).toBe(other)
  })

  it('does not return a token for another one with the same end', () => {
    const cache = createTokenCache<{ token: string }>({ maxTokens: 10, maxLength: 1000 })
    cache.set(tokenOf(1, 100))
    expect(cache.get(`y${tokenOf(1, 99).token}`)).toBeUndefined()
  })
})
