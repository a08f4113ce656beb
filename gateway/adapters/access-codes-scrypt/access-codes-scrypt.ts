import { ApiError } from '#contracts/errors.ts'
import type { KeyedHash } from '#db/hashes.ts'
import type { AccessCodePort, LimitPort, LinkAccessCode } from '#native-routes/ports.ts'
import { createSingleFlight } from '#shared/single-flight.ts'
import type { AccessCodeState } from './access-code-state.ts'
import type { Admissions } from './admissions-postgres.ts'
import { hashAccessCode, matchesHash } from './scrypt-hash.ts'

interface AccessCodeOptions {
  readonly limits: LimitPort
  readonly admissions: Admissions
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
  admissions,
  hash,
  state,
}: AccessCodeOptions): AccessCodePort => {
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
