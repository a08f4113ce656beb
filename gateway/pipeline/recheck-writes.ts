import type { Label } from '#contracts/route-table.ts'
import { type Row, rowOf } from '#contracts/shared/row.ts'
import type { Queryable } from '#db/client/connection.ts'
import { lockScope } from '#native-routes/lock-scope.ts'
import type { DatabasePort, Ports } from '#native-routes/ports.ts'
import { requireActor, type ScopeRequest } from '#native-routes/scopes.ts'
import type { VerifiedToken } from '../request/context.ts'
import { requireUnexpiredActor } from './authenticate.ts'
import { type EffectRunner, interceptEffects } from './intercept-effects.ts'
import { findRequiredFeature, lockEntitlement, requireGranted } from './require-entitlement.ts'

interface CheckedRequest {
  readonly label: Label
  readonly token: VerifiedToken | null
  readonly request: ScopeRequest
}

const deletesScope = ({ method, path, scope }: Row) =>
  method === 'DELETE' && scope !== undefined && path.endsWith(`/:${scope}Id`)

/**
 * Returns ports that check the authorization again before a route changes anything: since the first check, the body was
 * read and a connection was acquired. Each transaction first checks the token, the scope and the entitlement, and locks
 * the rows that grant them until it ends. The first effect is checked too, in a separate transaction if none came
 * before. What follows an effect records its outcome and is not checked again. `runTransaction` runs the transactions of
 * the route.
 */
export const recheckWrites = (
  ports: Ports,
  { label, token, request }: CheckedRequest,
  runTransaction: DatabasePort['tx'] = ports.db.tx,
): Ports => {
  const row = rowOf(label)
  const { auth, effects, scope } = row
  if (effects !== 'write' && effects !== 'external') return ports
  const feature = findRequiredFeature(auth)
  let isRechecked = false
  let hasRunEffect = false

  // The core locks in the same order: the account's use of the feature, then the resource. Errors have the same
  // precedence as in the first check.
  const recheck = async (tx: Queryable) => {
    requireUnexpiredActor(auth, token)
    const entitlement =
      feature && (await lockEntitlement(tx, feature, label, requireActor(request.actor), ports))
    if (scope) await lockScope(tx, scope, request, { deletes: deletesScope(row) })
    if (entitlement) await requireGranted(tx, entitlement, label, requireActor(request.actor))
    isRechecked = true
  }

  const recheckBeforeEffect = async () => {
    if (isRechecked || hasRunEffect) return
    if (scope || feature) await ports.db.tx(recheck)
    else requireUnexpiredActor(auth, token)
  }

  const runEffect: EffectRunner = async (call) => {
    await recheckBeforeEffect()
    hasRunEffect = true
    return call()
  }

  return {
    ...interceptEffects(ports, runEffect),
    db: {
      ...ports.db,
      tx: (work) =>
        runTransaction(async (tx) => {
          if (!hasRunEffect) await recheck(tx)
          return work(tx)
        }),
    },
  }
}
