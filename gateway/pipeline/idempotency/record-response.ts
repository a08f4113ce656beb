import { ApiError } from '#contracts/errors.ts'
import { saveIdempotencyKey } from '#db/queries/idempotency-keys.ts'
import type { DatabasePort, Ports, RetryPort } from '#native-routes/ports.ts'
import type { ResponseTransaction } from '#native-routes/response-transactions.ts'
import type { IdempotentRequest, RequestContext } from '../../request/context.ts'
import { errorResponse, type GatewayResponse } from '../../request/response.ts'
import {
  ForwardedEarlier,
  keyTtlS,
  lockAndFind,
  StoredResponseFound,
  serializeResponse,
} from './stored-response.ts'

// Almost no response to a write is longer, because request sizes and quotas limit it.
const maxStoredBytes = 2_097_152

interface RecorderOptions {
  readonly request: IdempotentRequest
  readonly db: DatabasePort
  readonly transaction: ResponseTransaction
  readonly respond: (result: unknown) => GatewayResponse | Promise<GatewayResponse>
  readonly countLength: (length: number) => Promise<void>
}

export type ResponseRecorder = Pick<ReturnType<typeof createResponseRecorder>, 'tx' | 'addTo'>

const unstoredCodes: ReadonlySet<string> = new Set(['validation_error', 'idempotency_in_progress'])

const isStorable = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![401, 403, 429].includes(error.status) &&
  !unstoredCodes.has(error.code)

// Each transaction of the handler locks the key first, so a duplicate is rejected while the transaction runs. Throws
// `StoredResponseFound` if a duplicate was faster, `ForwardedEarlier` if the core got a duplicate.
const createResponseRecorder = ({ request, db, transaction, respond }: RecorderOptions) => {
  let recorded: GatewayResponse | null = null
  let hasCommitted = false
  let storedLength = 0

  const save = async (tx: Parameters<typeof lockAndFind>[0], response: GatewayResponse) => {
    const text = serializeResponse(response)
    if (Buffer.byteLength(text) > maxStoredBytes) return
    const encrypted = await request.encrypt('response', text)
    await saveIdempotencyKey(tx, request, { response: encrypted }, keyTtlS)
    storedLength = encrypted.length
  }

  const requireUnused: typeof lockAndFind = async (tx) => {
    const stored = await lockAndFind(tx, request)
    if (stored.response) throw new StoredResponseFound(stored.response)
    if (stored.isForwarded) throw new ForwardedEarlier()
    return stored
  }

  const tx: DatabasePort['tx'] = async (work) => {
    let response: GatewayResponse | null = null
    const result = await db.tx(async (open) => {
      if (recorded) throw new Error('the handler began a second transaction after its response was stored')
      await requireUnused(open, request)
      const worked = await work(open)
      if (transaction === 'handler') {
        response = await respond(worked)
        await save(open, response)
      }
      return worked
    })
    hasCommitted = true
    recorded = response
    return result
  }

  const once: RetryPort['once'] = async (open, compute) => {
    const { checkpoint } = await requireUnused(open, request)
    if (checkpoint !== null) return parseCheckpoint(await request.decrypt('checkpoint', checkpoint))
    const computed = await compute()
    const encrypted = await request.encrypt('checkpoint', JSON.stringify(computed))
    await saveIdempotencyKey(open, request, { checkpoint: encrypted }, keyTtlS)
    return computed
  }

  const complete = async (response: GatewayResponse): Promise<GatewayResponse> => {
    if (recorded) return recorded
    try {
      await db.tx(async (open) => {
        await requireUnused(open, request)
        await save(open, response)
      })
    } catch (error) {
      // The handler finished, but the core got a retry in the meantime and will get all later retries too, so the
      // response is not stored.
      if (!(error instanceof ForwardedEarlier)) throw error
    }
    recorded = response
    return response
  }

  return {
    tx,
    addTo: (ports: Ports): Ports => ({
      ...ports,
      retries: { once },
      billing: { ...ports.billing, connect: () => ports.billing.connect(request.providerKey) },
    }),
    /** Stores the response unless a transaction of the handler has already stored one. Returns the stored response. */
    complete,
    storedLength: () => storedLength,
    // Stores the response for an error if the handler has committed a transaction. Returns the stored response if a
    // duplicate was faster; otherwise null.
    async completeWithError(error: unknown): Promise<GatewayResponse | null> {
      if (error instanceof StoredResponseFound) return error.response
      if (!hasCommitted || !isStorable(error)) return null
      try {
        await complete(errorResponse(error))
        return null
      } catch (failure) {
        if (failure instanceof StoredResponseFound) return failure.response
        throw failure
      }
    },
  }
}

// `once` wrote the text, from a value of the same type.
const parseCheckpoint = <T>(text: string) => JSON.parse(text) as T

/** If a duplicate was faster, sends the duplicate's response instead. */
export const withStoredResponse = async (
  options: RecorderOptions,
  { outcome }: Pick<RequestContext, 'outcome'>,
  run: (recorder: ResponseRecorder) => Promise<GatewayResponse>,
): Promise<GatewayResponse> => {
  const recorder = createResponseRecorder(options)
  try {
    const response = await recorder.complete(await run(recorder))
    await options.countLength(recorder.storedLength())
    return response
  } catch (error) {
    const stored = await recorder.completeWithError(error)
    if (!stored) throw error
    outcome.isReplayed = true
    return stored
  }
}
