import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { Queryable } from '#db/client/connection.ts'
import { lockScope } from '#native-routes/lock-scope.ts'
import type { Ports } from '#native-routes/ports.ts'
import { requireActor, type ScopeRequest } from '#native-routes/scopes.ts'
import { requireUnexpiredActor } from './authenticate.ts'
import { type EffectRunner, interceptEffects } from './intercept-effects.ts'
import { lockEntitlement, requiredFeature, requireGranted } from './require-entitlement.ts'
import type { VerifiedToken } from './verify-token.ts'

interface AdmittedRequest {
  readonly label: Label
  readonly token: VerifiedToken | null
  readonly request: ScopeRequest
}

/**
 * The ports of a route, which let it change nothing that the caller may not change any more. A request is judged when it
 * is admitted; since then its body was read and a connection waited for. So each transaction first judges the token, the
 * scope and the entitlement once more and locks the rows that grant them until it ends; so does the first call to the
 * outside, in a transaction of its own where none came before. What follows a call to the outside records its outcome and
 * is not judged again.
 */
export const recheckWrites = (ports: Ports, { label, token, request }: AdmittedRequest): Ports => {
  const { auth, effects, scope } = rowOf(label)
  if (effects !== 'write' && effects !== 'external') return ports
  const feature = requiredFeature(auth)
  let isRechecked = false
  let hasCalledOutside = false

  // The order of the locks is the core's too: the account's use of the feature, then the resource. Refusals come in the
  // order of admission.
  const recheck = async (tx: Queryable) => {
    requireUnexpiredActor(auth, token)
    const entitlement =
      feature && (await lockEntitlement(tx, feature, label, requireActor(request.actor), ports))
    if (scope) await lockScope(tx, scope, request)
    if (entitlement) await requireGranted(tx, entitlement, label, requireActor(request.actor))
    isRechecked = true
  }

  const recheckBeforeCall = async () => {
    if (isRechecked || hasCalledOutside) return
    if (scope || feature) await ports.db.tx(recheck)
    else requireUnexpiredActor(auth, token)
  }

  const runEffect: EffectRunner = async (call) => {
    await recheckBeforeCall()
    hasCalledOutside = true
    return call()
  }

  return {
    ...interceptEffects(ports, runEffect),
    db: {
      read: ports.db.read,
      tx: (work) =>
        ports.db.tx(async (tx) => {
          if (!hasCalledOutside) await recheck(tx)
          return work(tx)
        }),
    },
  }
}
