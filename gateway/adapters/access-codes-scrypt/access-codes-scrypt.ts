import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { ApiError } from '#contracts/errors.ts'
import type { Database } from '#db/client/connection.ts'
import { withDatabaseTimeout } from '#db/client/unreachable.ts'
import type { KeyedHash } from '#db/hashes.ts'
import { findPackLinkAdmission, insertPackLinkAdmission } from '#db/queries/packs/pack-link-admissions.ts'
import type { AccessCodePort, LimitPort, LinkAccessCode } from '#native-routes/ports.ts'
import { describeError } from '#shared/describe-error.ts'
import { createSingleFlight } from '#shared/single-flight.ts'
import type { Log } from '../../observability/log.ts'
import { type AccessCodeState, acceptedCodeTtlMs } from './access-code-state.ts'

const databaseTimeoutMs = 1000
// While a code is remembered in memory, visits do not extend the admission, so the TTL includes that time.
const admissionTtlS = 24 * 3600 + acceptedCodeTtlMs / 1000

// Remembers, for all instances, who entered a link's access code correctly in the last 24 hours. Best effort: while the
// database is down, nobody is remembered.
const createPostgresAdmissions = ({ db, reader }: Pick<Database, 'db' | 'reader'>, log: Log) => ({
  async has(key: string) {
    try {
      return (await withDatabaseTimeout(databaseTimeoutMs, findPackLinkAdmission(reader, key))) !== null
    } catch (error) {
      log.warn({ failure: describeError(error) }, 'failed to look up client admission')
      return false
    }
  },

  async add(key: string) {
    try {
      await withDatabaseTimeout(databaseTimeoutMs, insertPackLinkAdmission(db, key, admissionTtlS))
    } catch (error) {
      log.warn({ failure: describeError(error) }, 'failed to store client admission')
    }
  },
})

const deriveKey = (code: string, salt: Buffer, length: number, options: ScryptOptions) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(code, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)))
  })

// Same cost as in the core's hashes: timing must not reveal which side created the link.
const logCost = 14
const cost = { N: 2 ** logCost, r: 8, p: 1 }
const saltBytes = 16
const keyBytes = 32

const encodeUnpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

const hashAccessCode = async (code: string) => {
  const salt = randomBytes(saltBytes)
  const key = await deriveKey(code, salt, keyBytes, cost)
  return `$scrypt$ln=${logCost},r=${cost.r},p=${cost.p}$${encodeUnpadded(salt)}$${encodeUnpadded(key)}`
}

// PHC string: `$scrypt$ln=14,r=8,p=1$<salt>$<key>`, base64 without padding.
const phc = /^\$scrypt\$ln=(1\d),r=([1-9]|1[0-6]),p=([1-4])\$([A-Za-z0-9+/]{22,86})\$([A-Za-z0-9+/]{43,86})$/

export const matchesHash = async (code: string, hash: string) => {
  const [, ln, r, p, salt, expected] = phc.exec(hash) ?? []
  if (salt === undefined || expected === undefined)
    throw new TypeError('the stored hash of an access code has an unknown format')
  const key = Buffer.from(expected, 'base64')
  const [N, blockSize] = [2 ** Number(ln), Number(r)]
  const cost = { N, r: blockSize, p: Number(p), maxmem: 256 * N * blockSize }
  return timingSafeEqual(await deriveKey(code, Buffer.from(salt, 'base64'), key.length, cost), key)
}

interface AccessCodeOptions {
  readonly limits: LimitPort
  readonly database: Pick<Database, 'db' | 'reader'>
  readonly log: Log
  readonly hash: KeyedHash
  readonly state: AccessCodeState
}

interface Attempt {
  readonly code: string
  readonly gate: LinkAccessCode
  readonly client: string
  /** A hash of the code and the link's version. It changes whenever the link does, so the old code stops working. */
  readonly codeHash: string
}

const ignoreRateLimit = (error: unknown) => {
  if (!(error instanceof ApiError)) throw error
}

/**
 * Each attempt is reserved before the slow hash and refunded if the code is right, so concurrent guesses cannot exceed
 * the limits. A client that was admitted before still uses up its own attempts, but the link's limit never locks it
 * out.
 */
export const createScryptAccessCodes = ({
  limits,
  database,
  log,
  hash,
  state,
}: AccessCodeOptions): AccessCodePort => {
  const admissions = createPostgresAdmissions(database, log)
  // A page sends many requests at once, so the same code from the same visitor counts as one attempt, right or wrong.
  const sharedAttempt = createSingleFlight<boolean>()
  // When many new visitors arrive at once, a single reservation checks that the link has attempts left.
  const sharedLimitCheck = createSingleFlight<void>()

  const matches = async ({ code, gate, codeHash }: Attempt) => {
    const isRight = await matchesHash(code, gate.hash)
    if (isRight) state.addAccepted(codeHash)
    return isRight
  }

  // The link's limit also applies to a correct code. Otherwise a client could keep guessing once the limit is reached,
  // because only the correct code would be let in.
  const tryAsNewClient = async (attempt: Attempt) => {
    const { linkId } = attempt.gate
    const reserve = () => limits.reserve('access-codes-of-link', linkId)
    if (state.isAccepted(attempt.codeHash)) {
      await sharedLimitCheck(linkId, () => reserve().then((refund) => refund()))
      return true
    }
    const refund = await reserve()
    if (!(await matches(attempt))) return false
    await refund()
    return true
  }

  const tryAsAdmittedClient = async (attempt: Attempt) => {
    if (state.isAccepted(attempt.codeHash) || (await matches(attempt))) return true
    await limits.reserve('access-codes-of-link', attempt.gate.linkId).catch(ignoreRateLimit)
    return false
  }

  // Even a correct code needs one of the client's attempts: a client with none left must not learn that it was correct.
  const tryCode = async (attempt: Attempt) => {
    const { gate, client } = attempt
    const subject = `${client} ${gate.linkId}`
    const refund = await limits.reserve('access-codes', subject)
    const admission = hash(JSON.stringify(['admission', gate.linkId, gate.hash, client]))
    const isRight = (await admissions.has(admission))
      ? await tryAsAdmittedClient(attempt)
      : await tryAsNewClient(attempt).catch(async (error) => {
          // The link's limit rejected the attempt before the code was checked, so the client gets its attempt back.
          if (error instanceof ApiError) await refund()
          throw error
        })
    if (isRight) await Promise.all([refund(), admissions.add(admission)])
    return isRight
  }

  return {
    hash: hashAccessCode,

    async isCorrect(code, gate, client) {
      const codeHash = hash(JSON.stringify([gate.linkId, gate.version, gate.hash, code]))
      const key = `${client} ${codeHash}`
      const check = async () => {
        if (state.isAccepted(key)) return true
        const run = () => tryCode({ code, gate, client, codeHash })
        const isRight = await (state.isAccepted(codeHash) ? run() : state.runInOrder(codeHash, run))
        if (isRight) state.addAccepted(key)
        return isRight
      }
      return state.isAccepted(key) || sharedAttempt(key, () => state.runInOrder(key, check))
    },
  }
}
