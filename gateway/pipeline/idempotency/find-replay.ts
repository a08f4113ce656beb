import { ApiError, type ErrorCode } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { type Row, rowOf } from '#contracts/shared/row.ts'
import { isDatabaseUnavailable } from '#db/client/connection.ts'
import { tryLockShared } from '#db/queries/locks.ts'
import type { Ports } from '#native-routes/ports.ts'
import { requireActor, resolveScope, type ScopeRequest } from '#native-routes/scopes.ts'
import { describeError } from '#shared/describe-error.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import type { Log } from '../../observability/log.ts'
import type {
  FallbackReason,
  IdempotentRequest,
  RequestContext,
  VerifiedToken,
} from '../../request/context.ts'
import type { RowDecision } from '../../request/decide.ts'
import type { TextResponse } from '../../request/response.ts'
import { authenticate, type Credentials } from '../authenticate.ts'
import { readVisit } from '../parse-input.ts'
import { findRequiredFeature, requireFeature } from '../require-entitlement.ts'
import { databaseErrorCode } from '../to-api-error.ts'
import { findKey, identifyRequest } from './identify-request.ts'
import { ForwardedEarlier, lockAndFind, markForwarded } from './stored-response.ts'

export interface ReplayDependencies {
  readonly credentials: Credentials
  readonly log: Log
  /** `GATEWAY_SECRET` */
  readonly secret: string
  readonly bodyLimitBytes: number
  readonly bodyTimeoutMs: number
}

/** A separate limit, because the request may already have used up its own timeout. */
const lookUpTimeoutMs = 2000

// Whichever side serves the request handles a missing, invalid or unverifiable token.
const verifyToken = async ({ auth }: Row, context: RequestContext, credentials: Credentials) => {
  try {
    return await authenticate(auth, context.header('authorization'), credentials)
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

// null for a body that is forwarded without buffering
const readBody = async (
  { kind }: RowDecision,
  context: RequestContext,
  { bodyLimitBytes, bodyTimeoutMs }: ReplayDependencies,
) => {
  if (kind === 'native') return context.readBody(bodyTimeoutMs)
  const declared = context.header('content-length')
  if (declared !== undefined) return Number(declared) > bodyLimitBytes ? null : context.readBody()
  const body = await (context.readBodyStart() ?? context.readBody())
  return body instanceof Uint8Array ? body : null
}

// A stored response may contain something the account may no longer read. A response without a body reveals nothing, so
// a deletion is replayed even though its scope is gone.
const requireAccess = async (row: Row, request: ScopeRequest, ports: Ports) => {
  if (row.scope) await resolveScope(row.scope, request, ports)
  const feature = findRequiredFeature(row.auth)
  if (feature) requireFeature(await ports.entitlements.find(requireActor(request.actor).accountId, feature))
}

const convertDatabaseFailure = (error: unknown, label: Label, context: RequestContext, log: Log) => {
  if (!isDatabaseUnavailable(error)) return error
  log.error(
    { requestId: context.requestId, route: label, failure: describeError(error) },
    'failed to look up idempotency key',
  )
  // Does not fall back to the core, because native may already have served this request.
  return new ApiError(databaseErrorCode(label), {}, { cause: error })
}

const useOfCore = (decision: RowDecision) => {
  if (decision.kind === 'forward') return 'serves'
  return decision.mayFallBack ? 'may-serve' : 'unused'
}

const identify = async (
  decision: RowDecision,
  token: VerifiedToken,
  key: string,
  context: RequestContext,
  dependencies: ReplayDependencies,
) => {
  const startedAt = context.durationMs()
  const body = await readBody(decision, context, dependencies)
  context.outcome.bodyMs += context.durationMs() - startedAt
  if (body === null || token.isExpired()) return null
  const { method, path, query, outcome } = context
  const { accountId } = token.actor
  const { secret } = dependencies
  const request = { secret, accountId, key, method, path, query, body }
  return identifyRequest({
    ...request,
    route: decision.label,
    core: useOfCore(decision),
    epoch: outcome.epoch,
  })
}

// If `forwards` is true, the core gets the request unless a response is found, and the transaction that looks for the
// response also records the forwarding.
const findStored = async (
  label: Label,
  request: IdempotentRequest,
  { actor }: VerifiedToken,
  context: RequestContext,
  log: Log,
  ports: Ports,
  forwards: boolean,
): Promise<TextResponse | 'forwarded' | null> => {
  try {
    const { response, isForwarded } = await ports.db.tx(async (tx) => {
      // Simultaneous retries can share the lock, because none of them is running yet.
      const stored = await lockAndFind(tx, request, tryLockShared)
      if (forwards && !stored.response && !stored.isForwarded) await markForwarded(tx, request)
      return stored
    })
    if (isForwarded) return 'forwarded'
    const { params } = context
    if (response?.body !== undefined)
      await requireAccess(rowOf(label), { actor, params, visit: readVisit(context) }, ports)
    return response
  } catch (error) {
    throw convertDatabaseFailure(error, label, context, log)
  }
}

/**
 * Finds the stored response for an idempotency key before either side serves the request; null if there is none. If the
 * request goes to the core, records it as forwarded. Returns a reason if the core got an earlier request with this key
 * and so must get this one. Throws `idempotency_key_reused`, `idempotency_in_progress`, access errors, and an error if
 * the database is unavailable.
 */
export const findReplay = async (
  decision: RowDecision,
  context: RequestContext,
  dependencies: ReplayDependencies,
  ports: Ports,
): Promise<TextResponse | FallbackReason | null> => {
  const { label } = decision
  const row = rowOf(label)
  const key = findKey(context)
  const token = await verifyToken(row, context, dependencies.credentials)
  if (key === null || !token) return null
  context.verifiedToken = token
  const request = await identify(decision, token, key, context, dependencies)
  if (!request) return null
  const forwards = decision.kind === 'forward'
  const found = await findStored(label, request, token, context, dependencies.log, ports, forwards)
  if (found === 'forwarded') return forwards ? null : 'earlier_attempt'
  if (!found) context.idempotentRequest = request
  return found
}

// After these errors, the key is not looked up again: the look-up itself threw them, or the client must not get a
// stored response.
const finalCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'unauthorized',
  'idempotency_key_reused',
  'idempotency_in_progress',
])

/**
 * Looks the key up again after native failed: another instance may have served a duplicate, and its changes may have
 * caused the failure. Returns null if the request has no key, if a duplicate cannot be the cause, or if there was no
 * duplicate. With `fallsBack`, records that the core gets the request. Without it, throws `ForwardedEarlier` if the
 * core got a duplicate. Throws the same errors as `findReplay`. After such an error, the core must not get the request.
 */
export const findReplayAfterError = async (
  error: unknown,
  label: Label,
  context: RequestContext,
  log: Log,
  ports: Ports,
  fallsBack: boolean,
): Promise<TextResponse | null> => {
  const { idempotentRequest, verifiedToken } = context
  if (!idempotentRequest || !verifiedToken) return null
  if (error instanceof ApiError && finalCodes.has(error.code)) return null
  const found = await withTimeout(
    lookUpTimeoutMs,
    findStored(label, idempotentRequest, verifiedToken, context, log, ports, fallsBack),
    () => {
      throw new ApiError(databaseErrorCode(label))
    },
  )
  if (found !== 'forwarded') return found
  if (fallsBack) return null
  throw new ForwardedEarlier()
}
