import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import QuickLRU from 'quick-lru'
import type { KeyedHash } from '#db/keyed-hash.ts'
import type { AccessCodePort, LimitPort, LinkAccessCode } from '#native-routes/ports.ts'
import { shareCalls } from './share-calls.ts'

const acceptedCodeTtlMs = 5 * 60 * 1000
// Longer than any hash takes. A Worker request that was cancelled never reports the end of its check.
const checkTimeoutMs = 2000
const pollIntervalMs = 20
const maxChecks = 10_000

/**
 * Stores recently accepted codes and current checks by keyed hash, so that a visit does not compute the slow hash for
 * every request.
 */
export const createAccessCodeState = () => {
  const right = new QuickLRU<string, true>({ maxSize: 50_000, maxAge: acceptedCodeTtlMs })
  const checks = new Map<string, { readonly until: number }>()
  return {
    isAccepted: (codeHash: string) => right.get(codeHash) === true,

    addAccepted: (codeHash: string) => {
      right.set(codeHash, true)
    },

    /** Runs `check` after the current check of the same code has ended. */
    async runInOrder(codeHash: string, check: () => Promise<boolean>): Promise<boolean> {
      // A Worker request cannot await a promise of another request, so it polls.
      const previous = checks.get(codeHash)
      while (previous && checks.get(codeHash) === previous && previous.until > Date.now())
        await setTimeout(pollIntervalMs)
      const current = { until: Date.now() + checkTimeoutMs }
      // A cancelled Worker request does not remove its own check.
      const [oldest] = checks.keys()
      if (checks.size >= maxChecks && oldest !== undefined) checks.delete(oldest)
      checks.set(codeHash, current)
      try {
        return await check()
      } finally {
        if (checks.get(codeHash) === current) checks.delete(codeHash)
      }
    },
  }
}

// A PHC string: `$scrypt$ln=14,r=8,p=1$<salt>$<key>`, both in base64 without padding.
const phc = /^\$scrypt\$ln=(1\d),r=([1-9]|1[0-6]),p=([1-4])\$([A-Za-z0-9+/]{22,86})\$([A-Za-z0-9+/]{43,86})$/

const derive = (code: string, salt: Buffer, length: number, options: ScryptOptions) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(code, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)))
  })

const matchesHash = async (code: string, hash: string) => {
  const [, ln, r, p, salt, expected] = phc.exec(hash) ?? []
  if (salt === undefined || expected === undefined)
    throw new TypeError('the stored hash of an access code has an unknown format')
  const key = Buffer.from(expected, 'base64')
  const [N, blockSize] = [2 ** Number(ln), Number(r)]
  const cost = { N, r: blockSize, p: Number(p), maxmem: 256 * N * blockSize }
  return timingSafeEqual(await derive(code, Buffer.from(salt, 'base64'), key.length, cost), key)
}

interface AccessCodeOptions {
  readonly limits: LimitPort
  readonly hash: KeyedHash
  readonly state: ReturnType<typeof createAccessCodeState>
}

/**
 * Checks access codes. An attempt is reserved before the slow hash and refunded if the code is right, so that concurrent
 * guesses cannot exceed the limit or its cost. Of concurrent requests with the same code, the first checks it; if it is
 * right, the others need no slow hash.
 */
export const createScryptAccessCodes = ({ limits, hash, state }: AccessCodeOptions): AccessCodePort => {
  // A page sends many requests at once: the same code of the same visitor is one attempt, even if it is wrong.
  const shared = shareCalls<boolean>()

  // A code that is known to be right also uses an attempt: a client without attempts left must not learn that it is.
  const attempt = async (code: string, gate: LinkAccessCode, clientKey: string, codeHash: string) => {
    await limits.reserve('access-codes', clientKey)
    if (!state.isAccepted(codeHash)) {
      await limits.reserve('access-codes-of-link', gate.linkId)
      if (!(await matchesHash(code, gate.hash))) return false
      state.addAccepted(codeHash)
      await limits.refund('access-codes-of-link', gate.linkId)
    }
    await limits.refund('access-codes', clientKey)
    return true
  }

  return {
    async isCorrect(code, gate, client) {
      // Every change of the link changes the key, so that an old code is no longer accepted.
      const codeHash = hash(JSON.stringify([gate.linkId, gate.version, gate.hash, code]))
      const key = `${client} ${codeHash}`
      const check = async () => {
        if (state.isAccepted(key)) return true
        const tryCode = () => attempt(code, gate, `${client} ${gate.linkId}`, codeHash)
        const isRight = await (state.isAccepted(codeHash) ? tryCode() : state.runInOrder(codeHash, tryCode))
        if (isRight) state.addAccepted(key)
        return isRight
      }
      return state.isAccepted(key) || shared(key, () => state.runInOrder(key, check))
    },
  }
}
