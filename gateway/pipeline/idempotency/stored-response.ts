import { ApiError } from '#contracts/errors.ts'
import type { Queryable } from '#db/client/connection.ts'
import { findIdempotencyKey } from '#db/queries/idempotency-keys.ts'
import { tryLock } from '#db/queries/locks.ts'
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
  if (stored && stored.requestHash !== request.requestHash) throw new ApiError('idempotency_key_reused')
  const response = stored?.response ?? null
  return {
    checkpoint: stored?.checkpoint ?? null,
    response: response === null ? null : deserializeResponse(await request.decrypt('response', response)),
  }
}
