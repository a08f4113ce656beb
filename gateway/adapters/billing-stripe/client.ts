import { ApiError } from '#contracts/errors.ts'
import { signHmac } from '#shared/hmac-sha256.ts'
import { fetchTraced } from '../fetch-traced.ts'
import {
  createResponseError,
  isInUse,
  ProviderFailure,
  StripeError,
  toBillingApiError,
} from './stripe-error.ts'

type Field = [name: string, value: string]

const listFields = (name: string, value: unknown): Field[] => {
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null) return [[name, String(value ?? '')]]
  return Object.entries(value).flatMap(([key, inner]) => listFields(`${name}[${key}]`, inner))
}

/** Encodes parameters as Stripe expects them: `{ items: [{ price: 'p' }] }` is `items[0][price]=p`. Omits undefined. */
const encodeForm = (parameters: object): string =>
  new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) => listFields(name, value)),
  ).toString()

// The version whose objects the schemas of this adapter read. Without it, the provider uses the default of the account.
const apiVersion = '2026-10-28.endive'

// One call, and all calls of one request together; both are shorter than the timeout of a native route.
const callTimeoutMs = 4000
const budgetMs = 7000

export interface CallOptions {
  readonly timeoutMs: number
  /** The secret of a client's request, whose retries send the same idempotency keys. */
  readonly requestSecret?: string | undefined
  readonly idempotencyKey?: string
}

const readJson = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    throw new StripeError('invalid_json', null, response.ok ? 0 : response.status)
  }
}

const hasError = (body: unknown) => typeof body === 'object' && body !== null && 'error' in body

/**
 * Creates a client of Stripe's API, without retries: the client of the gateway retries, and retries here would double the
 * load on a slow provider. Calls resolve to the parsed body, and throw `StripeError`.
 */
export const createStripeClient = (secretKey: string, apiBase = 'https://api.stripe.com') => {
  const { origin } = new URL(apiBase)

  const send = async (method: string, path: string, body: string | null, options: CallOptions) => {
    const headers = {
      authorization: `Bearer ${secretKey}`,
      accept: 'application/json',
      'stripe-version': apiVersion,
      ...(body === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
    }
    // Following a redirect would send the request to another host.
    const init = { method, headers, body, redirect: 'manual' } as const
    // Until the end of the body.
    const signal = AbortSignal.timeout(options.timeoutMs)
    try {
      const response = await fetchTraced('billing provider', origin + path, { ...init, signal })
      const content = await readJson(response)
      if (!response.ok || hasError(content)) throw createResponseError(response.status, content)
      return content
    } catch (error) {
      throw error instanceof StripeError ? error : new StripeError('connection_error', null, 0)
    }
  }

  const addQuery = (path: string, parameters: object) => {
    const query = encodeForm(parameters)
    return query === '' ? path : `${path}?${query}`
  }

  return {
    get: (path: string, parameters: object, options: CallOptions) =>
      send('GET', addQuery(path, parameters), null, options),
    post: (path: string, parameters: object, options: CallOptions) =>
      send('POST', path, encodeForm(parameters), options),
    delete: (path: string, parameters: object, options: CallOptions) =>
      send('DELETE', addQuery(path, parameters), null, options),
  }
}

export type StripeClient = ReturnType<typeof createStripeClient>

/** The path segment of an object; throws for what is not an id, such as a dot segment, which leads to another object. */
export const idSegment = (id: string) => {
  if (!/^[\w-]{1,255}$/.test(id)) throw new ProviderFailure('malformed_id')
  return id
}

type Call<T> = (options: CallOptions) => Promise<T>

/**
 * Creates the runner for the provider calls of one request: each call has at most the time that remains of the whole
 * budget. Failures are converted by `toBillingApiError`.
 */
export const createCallRunner = (requestSecret?: string) => {
  const endsAt = performance.now() + budgetMs
  return async <T>(call: Call<T>): Promise<T> => {
    const remainingMs = Math.floor(endsAt - performance.now())
    if (remainingMs <= 0) throw toBillingApiError(new StripeError('budget_exhausted', null, 0))
    try {
      return await call({ timeoutMs: Math.min(callTimeoutMs, remainingMs), requestSecret })
    } catch (error) {
      // Of several requests with the secret, one is in the same call.
      if (requestSecret !== undefined && isInUse(error)) throw new ApiError('idempotency_in_progress')
      throw toBillingApiError(error)
    }
  }
}

export type CallRunner = ReturnType<typeof createCallRunner>

/**
 * Adds an idempotency key, so a request that is sent twice is applied once. The provider rejects a key that was used
 * with other parameters, so these are part of a key that derives from the secret of a client's request.
 */
export const addIdempotencyKey = (options: CallOptions, path: string, parameters: object): CallOptions => {
  const { requestSecret } = options
  const idempotencyKey =
    requestSecret === undefined
      ? crypto.randomUUID()
      : signHmac(requestSecret, JSON.stringify([path, parameters])).toString('hex')
  return { ...options, idempotencyKey }
}
