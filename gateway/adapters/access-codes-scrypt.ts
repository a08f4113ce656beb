import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import QuickLRU from 'quick-lru'
import type { KeyedHash } from '#db/keyed-hash.ts'
import type { AccessCodePort, Gate, LimitPort } from '#native-routes/ports.ts'
import { shareCalls } from './share-calls.ts'

const rememberedMs = 5 * 60 * 1000
// No slow hash takes longer; a Worker's request that was given up never says that its own has ended.
const longestTrialMs = 2000
const lookAgainAfterMs = 20
const mostTrials = 10_000

/**
 * The right codes of late and those that are tried now, by keyed hash: so that the slow hash is not paid for every
 * request of a visit.
 */
export const createCodeMemory = () => {
  const right = new QuickLRU<string, true>({ maxSize: 50_000, maxAge: rememberedMs })
  const trials = new Map<string, { readonly until: number }>()
  return {
    isRight: (trace: string) => right.get(trace) === true,

    remember: (trace: string) => {
      right.set(trace, true)
    },

    /** Tries a code after whoever tries the same one already. */
    async inTurn(trace: string, check: () => Promise<boolean>): Promise<boolean> {
      // A request of a Worker can wait for no promise of another one, so that it looks again and again.
      const ahead = trials.get(trace)
      while (ahead && trials.get(trace) === ahead && ahead.until > Date.now())
        await setTimeout(lookAgainAfterMs)
      const trial = { until: Date.now() + longestTrialMs }
      // Nobody ends the trial of a request that a Worker gave up.
      const [oldest] = trials.keys()
      if (trials.size >= mostTrials && oldest !== undefined) trials.delete(oldest)
      trials.set(trace, trial)
      try {
        return await check()
      } finally {
        if (trials.get(trace) === trial) trials.delete(trace)
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

const isCodeOf = async (code: string, hash: string) => {
  const [, ln, r, p, salt, expected] = phc.exec(hash) ?? []
  if (salt === undefined || expected === undefined)
    throw new TypeError('an access code was hashed in an unknown way')
  const key = Buffer.from(expected, 'base64')
  const [N, blockSize] = [2 ** Number(ln), Number(r)]
  const cost = { N, r: blockSize, p: Number(p), maxmem: 256 * N * blockSize }
  return timingSafeEqual(await derive(code, Buffer.from(salt, 'base64'), key.length, cost), key)
}

interface AccessCodeParts {
  readonly limits: LimitPort
  readonly hash: KeyedHash
  readonly memory: ReturnType<typeof createCodeMemory>
}

/**
 * Checks access codes. An attempt is counted ahead of the slow hash and given back when it was right: many guesses at
 * once are no way round the limit, and cost no more than it allows. Of many who send the same code at once, one
 * attempts it before the others do, and where it was right they need no slow hash.
 */
export const createScryptAccessCodes = ({ limits, hash, memory }: AccessCodeParts): AccessCodePort => {
  // A page asks for many things at once: the same code by the same visitor is one attempt, also where it is wrong.
  const shared = shareCalls<boolean>()

  // What others were let in with is counted as well: who has used up their attempts must not find it out.
  const attempt = async (code: string, gate: Gate, ofClient: string, trace: string) => {
    await limits.spend('access-codes', ofClient)
    if (!memory.isRight(trace)) {
      await limits.spend('access-codes-of-link', gate.linkId)
      if (!(await isCodeOf(code, gate.hash))) return false
      memory.remember(trace)
      await limits.giveBack('access-codes-of-link', gate.linkId)
    }
    await limits.giveBack('access-codes', ofClient)
    return true
  }

  return {
    async isRight(code, gate, client) {
      // Whatever changes of the link makes another trace: a code that was changed is not remembered.
      const trace = hash(JSON.stringify([gate.linkId, gate.version, gate.hash, code]))
      const key = `${client} ${trace}`
      const judged = async () => {
        if (memory.isRight(key)) return true
        const attempted = () => attempt(code, gate, `${client} ${gate.linkId}`, trace)
        const isRight = await (memory.isRight(trace) ? attempted() : memory.inTurn(trace, attempted))
        if (isRight) memory.remember(key)
        return isRight
      }
      return memory.isRight(key) || shared(key, () => memory.inTurn(key, judged))
    },
  }
}
