import { ApiError } from '#contracts/errors.ts'
import type { Queryable } from '#db/client/connection.ts'
import { findIdempotencyKey, saveForwardedKey } from '#db/queries/idempotency-keys.ts'
import { forwardedKeysLock, tryLock, tryLockShared } from '#db/queries/locks.ts'
import type { IdempotentRequest } from '../../request/context.ts'
import type { GatewayResponse, TextResponse } from '../../request/response.ts'

export class StoredResponseFound extends Error {
  override name = 'StoredResponseFound'
  readonly response: TextResponse
  constructor(response: TextResponse) {
    super('the request has a stored response')
    this.response = response
  }
}

/**
 * Native stopped, because the core got an earlier request with the same key. If native has had an effect by then, the
 * core must not serve the request either, and the client has to retry.
 */
export class ForwardedEarlier extends ApiError<'idempotency_in_progress'> {
  constructor() {
    super('idempotency_in_progress')
  }
}

export const keyTtlS = 86_400

const decoder = new TextDecoder()

const toText = ({ body }: GatewayResponse) =>
  typeof body === 'object' ? body.map((chunk) => decoder.decode(chunk, { stream: true })).join('') : body

export const serializeResponse = (response: GatewayResponse): string => {
  const { status, headers } = response
  return JSON.stringify({ status, headers, body: toText(response) ?? null })
}

// Decryption authenticated the text, so the gateway wrote it.
const parseResponse = (text: string) =>
  JSON.parse(text) as Pick<TextResponse, 'status' | 'headers'> & { readonly body: string | null }

const deserializeResponse = (text: string): TextResponse => {
  const { status, headers, body } = parseResponse(text)
  return { status, headers: { ...headers, 'idempotent-replayed': 'true' }, body: body ?? undefined }
}

interface StoredState {
  readonly checkpoint: string | null
  readonly response: TextResponse | null
  /** Whether the core got an earlier request with this key and so must get this one too. */
  readonly isForwarded: boolean
}

// A response stored by native takes precedence, because an instance of the previous release, which ignores forwarded
// keys, may have served a retry. If native may serve the request and the key belongs to another route, native rejects
// it. If the core serves the request anyway, the core decides.
const wasForwarded = (
  stored: Awaited<ReturnType<typeof findIdempotencyKey>>,
  { core, route }: IdempotentRequest,
) => {
  if (!stored || stored.forwardedRoute === null || stored.response !== null) return false
  return core === 'serves' || (core === 'may-serve' && stored.forwardedRoute === route)
}

/**
 * Locks the key until the transaction ends and returns what is stored under it. The look-up is a separate statement,
 * because a statement that also took the lock would take its snapshot too early and miss recent commits. Throws
 * `idempotency_in_progress` if another transaction holds the lock, `idempotency_key_reused` if the key belongs to a
 * different request.
 */
export const lockAndFind = async (
  tx: Queryable,
  request: IdempotentRequest,
  lock: typeof tryLock = tryLock,
): Promise<StoredState> => {
  if (!(await lock(tx, `idempotency key ${request.keyHash}`))) throw new ApiError('idempotency_in_progress')
  const stored = await findIdempotencyKey(tx, request.keyHash)
  // Once the core has seen a key, it decides about every request with that key, and may accept a corrected one.
  if (wasForwarded(stored, request)) return { checkpoint: null, response: null, isForwarded: true }
  if (stored && stored.requestHash !== request.requestHash) throw new ApiError('idempotency_key_reused')
  const response = stored?.response ?? null
  return {
    checkpoint: stored?.checkpoint ?? null,
    response: response === null ? null : deserializeResponse(await request.decrypt('response', response)),
    isForwarded: false,
  }
}

/**
 * Records that the core is about to get a request; from then on, native serves no retry of it. Look the key up in this
 * transaction first. Throws `idempotency_in_progress` if the route was retired after the decision.
 */
export const markForwarded = async (tx: Queryable, request: IdempotentRequest) => {
  const isRecorded =
    (await tryLockShared(tx, forwardedKeysLock(request.route))) &&
    (await saveForwardedKey(tx, request, request.route, request.epoch, keyTtlS))
  if (!isRecorded) throw new ApiError('idempotency_in_progress')
}
