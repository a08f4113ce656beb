import { ApiError } from '#contracts/errors.ts'
import type { Queryable } from '#db/client/connection.ts'
import { findIdempotencyKey, saveForwardedKey } from '#db/queries/idempotency-keys.ts'
import { forwardedKeysLock, tryLock, tryLockShared } from '#db/queries/locks.ts'
import type { IdempotentRequest } from '../../request/context.ts'
import type { GatewayResponse, TextResponse } from '../../request/response.ts'

/** A handler did not run to its end, because its request has a stored response. */
export class StoredResponseFound extends Error {
  override name = 'StoredResponseFound'
  readonly response: TextResponse
  constructor(response: TextResponse) {
    super('the request has a stored response')
    this.response = response
  }
}

/**
 * Native did not serve a request, because the core got an earlier one with its key. If native has had an effect by then, the
 * core cannot serve the request either, and the client has to retry.
 */
export class ForwardedEarlier extends ApiError<'idempotency_in_progress'> {
  constructor() {
    super('idempotency_in_progress')
  }
}

/** For how long a key is kept, in seconds. */
export const keyTtlS = 86_400

const decoder = new TextDecoder()

const toText = ({ body }: GatewayResponse) =>
  typeof body === 'object' ? body.map((chunk) => decoder.decode(chunk, { stream: true })).join('') : body

/** The response as it is stored: what a replay repeats of it. */
export const serializeResponse = (response: GatewayResponse): string => {
  const { status, headers } = response
  return JSON.stringify({ status, headers, body: toText(response) ?? null })
}

// It was authenticated when it was decrypted, so this gateway has written it.
const parseResponse = (text: string) =>
  JSON.parse(text) as Pick<TextResponse, 'status' | 'headers'> & { readonly body: string | null }

const deserializeResponse = (text: string): TextResponse => {
  const { status, headers, body } = parseResponse(text)
  return { status, headers: { ...headers, 'idempotent-replayed': 'true' }, body: body ?? undefined }
}

interface StoredState {
  readonly checkpoint: string | null
  readonly response: TextResponse | null
  /** Whether the core got an earlier request with the key, so it has to get this one too. */
  readonly isForwarded: boolean
}

// A response that native has stored comes first: an instance that knows no forwarded keys may have served a retry. A request
// of another route is no retry, but native rejects it, while the core decides about what it serves anyway.
const wasForwarded = (
  stored: Awaited<ReturnType<typeof findIdempotencyKey>>,
  { core, route }: IdempotentRequest,
) => {
  if (!stored || stored.forwardedRoute === null || stored.response !== null) return false
  return core === 'serves' || (core === 'may-serve' && stored.forwardedRoute === route)
}

/**
 * Locks the key until the transaction ends and returns what is stored under it. Throws `idempotency_in_progress` if
 * another transaction holds the lock, and `idempotency_key_reused` if the key belongs to another request. The lookup is
 * a statement of its own: a statement that also locked would have taken its snapshot before, and miss what was committed between the two.
 */
export const lockAndFind = async (
  tx: Queryable,
  request: IdempotentRequest,
  lock: typeof tryLock = tryLock,
): Promise<StoredState> => {
  if (!(await lock(tx, `idempotency key ${request.keyHash}`))) throw new ApiError('idempotency_in_progress')
  const stored = await findIdempotencyKey(tx, request.keyHash)
  // The core decides what a key means that it has got: it may take a request that was corrected.
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
 * Records that the core gets a request, before it does: from then on native serves no retry of it. The caller has looked
 * the key up in this transaction. Throws `idempotency_in_progress` if the route has been retired since the request was decided.
 */
export const markForwarded = async (tx: Queryable, request: IdempotentRequest) => {
  const isRecorded =
    (await tryLockShared(tx, forwardedKeysLock(request.route))) &&
    (await saveForwardedKey(tx, request, request.route, request.epoch, keyTtlS))
  if (!isRecorded) throw new ApiError('idempotency_in_progress')
}
