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
  /** Every change of the link changes the hash, so an old code is no longer accepted. */
  readonly codeHash: string
}

const ignoreRateLimit = (error: unknown) => {
  if (!(error instanceof ApiError)) throw error
}

/**
 * Checks access codes. An attempt is reserved before the slow hash and refunded if the code is right, so concurrent
 * guesses cannot exceed the limits or their cost. A client that was right before is counted, but not rejected, by the
 * limit of the link. Of concurrent requests with the same code, the first checks it; if it is right, the others need no
 * slow hash.
 */
export const createScryptAccessCodes = ({
  limits,
  admissions,
  hash,
  state,
}: AccessCodeOptions): AccessCodePort => {
  // A page sends many requests at once: the same code of the same visitor is one attempt, even if it is wrong.
  const sharedAttempt = createSingleFlight<boolean>()
  // Many new visitors may arrive at once: one reservation shows for all of them that the link has attempts left.
  const sharedLimitCheck = createSingleFlight<void>()

  const matches = async ({ code, gate, codeHash }: Attempt) => {
    const isRight = await matchesHash(code, gate.hash)
    if (isRight) state.addAccepted(codeHash)
    return isRight
  }

  // Applies to a code that is known to be right too: otherwise a client could learn the code from being admitted.
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

  // A code that is known to be right also uses an attempt of the client: a client without attempts left must not learn
  // that it is.
  const tryCode = async (attempt: Attempt) => {
    const { gate, client } = attempt
    const subject = `${client} ${gate.linkId}`
    const refund = await limits.reserve('access-codes', subject)
    const admission = hash(JSON.stringify(['admission', gate.linkId, gate.hash, client]))
    const isRight = (await admissions.has(admission))
      ? await tryAsAdmittedClient(attempt)
      : await tryAsNewClient(attempt).catch(async (error) => {
          // The limit of the link has rejected the code before it was checked.
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
