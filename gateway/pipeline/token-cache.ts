interface CachedToken {
  readonly token: string
}

interface TokenCacheLimits {
  /** Of each of two generations, which are kept at a time. */
  readonly maxTokens: number
  /** The characters of the tokens of a generation; each takes a byte. */
  readonly maxLength: number
}

// The end of its signature tells a token from all others, and is hashed in a fraction of the time.
const cacheKeyOf = (token: string) => token.slice(-32)

/**
 * Keeps the tokens that were used last, as two generations: when the younger is full, it replaces the older. Tokens may
 * be as long as all headers of a request, so their number alone would bound no memory.
 */
export const createTokenCache = <T extends CachedToken>({ maxTokens, maxLength }: TokenCacheLimits) => {
  let younger = new Map<string, T>()
  let older = new Map<string, T>()
  let length = 0

  const set = (cached: T) => {
    const key = cacheKeyOf(cached.token)
    length += cached.token.length - (younger.get(key)?.token.length ?? 0)
    younger.set(key, cached)
    if (younger.size < maxTokens && length < maxLength) return
    older = younger
    younger = new Map()
    length = 0
  }

  return {
    set,
    get(token: string): T | undefined {
      const key = cacheKeyOf(token)
      const young = younger.get(key)
      if (young) return young.token === token ? young : undefined
      const old = older.get(key)
      if (old?.token !== token) return undefined
      older.delete(key)
      set(old)
      return old
    },
  }
}
