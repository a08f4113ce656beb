import { hash } from 'node:crypto'

interface AttemptLimitOptions {
  readonly maxFailures?: number
  readonly maxClients?: number
  /** Monotonic clock, in milliseconds. */
  readonly now?: () => number
}

const windowMs = 60_000

/**
 * Counts wrong tokens per client address in memory. After 10 within a minute, every further wrong token gets 429 until
 * that minute is over. Correct tokens always pass, because operators may share an address with an attacker and 32 random bytes cannot
 * be guessed. Remembers 10,000 addresses; a new one replaces the oldest.
 */
export const createAttemptLimit = ({
  maxFailures = 10,
  maxClients = 10_000,
  now = () => performance.now(),
}: AttemptLimitOptions = {}) => {
  const failures = new Map<string, { readonly tokens: Set<string>; readonly endsAt: number }>()

  const findCurrent = (client: string) => {
    const known = failures.get(client)
    if (known === undefined || known.endsAt > now()) return known
    failures.delete(client)
    return undefined
  }

  return {
    findRetryAfterS(client: string) {
      const current = findCurrent(client)
      return current && current.tokens.size >= maxFailures ? Math.ceil((current.endsAt - now()) / 1000) : 0
    },

    /** Counts each wrong token only once, because a script that repeats a removed token is not guessing. */
    recordFailure(client: string, token: string) {
      const digest = hash('sha256', token, 'base64url')
      const current = findCurrent(client)
      if (current) {
        if (current.tokens.size < maxFailures) current.tokens.add(digest)
        return
      }
      const [oldest] = failures.keys()
      if (failures.size >= maxClients && oldest !== undefined) failures.delete(oldest)
      failures.set(client, { tokens: new Set([digest]), endsAt: now() + windowMs })
    },
  }
}

export type AttemptLimit = ReturnType<typeof createAttemptLimit>
