import { ApiError } from '#contracts/errors.ts'
import { fetchTraced } from '#shared/fetch-traced.ts'
import { signHmac } from '#shared/hmac-sha256.ts'
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

/** Encodes parameters the way Stripe expects: `{ items: [{ price: 'p' }] }` becomes `items[0][price]=p`. */
const encodeForm = (parameters: object): string =>
  new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) => listFields(name, value)),
  ).toString()

// The API version our schemas match. Without it, Stripe uses the account's default.
const apiVersion = '2026-10-28.endive'

// Limits for one call and for all calls of one request. Both are shorter than a native route's timeout.
const callTimeoutMs = 4000
const budgetMs = 7000

export interface CallOptions {
  readonly timeoutMs: number
  /** Derived from the client's request, so its retries send the same idempotency keys. */
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

/** Stripe rejects a key reused with different parameters, so a key derived from the client's secret includes them. */
const addIdempotencyKey = (options: CallOptions, path: string, parameters: object): CallOptions => {
  const { requestSecret } = options
  const derivedKey =
    requestSecret === undefined
      ? crypto.randomUUID()
      : signHmac(requestSecret, JSON.stringify([path, parameters])).toString('hex')
  return { idempotencyKey: derivedKey, ...options }
}

const hasError = (body: unknown) => typeof body === 'object' && body !== null && 'error' in body

/** It never retries: the gateway's clients do, and retrying here too would double the load on a slow Stripe. */
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
    // A redirect would send the request to a different host.
    const init = { method, headers, body, redirect: 'manual' } as const
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
      send('POST', path, encodeForm(parameters), addIdempotencyKey(options, path, parameters)),
    delete: (path: string, parameters: object, options: CallOptions) =>
      send('DELETE', addQuery(path, parameters), null, addIdempotencyKey(options, path, parameters)),
  }
}

export type StripeClient = ReturnType<typeof createStripeClient>

/** Throws if it is not an id, because a dot segment (`..`) would reach a different object. */
export const idSegment = (id: string) => {
  if (!/^[\w-]{1,255}$/.test(id)) throw new ProviderFailure('malformed_id')
  return id
}

type Call<T> = (options: CallOptions) => Promise<T>

export const createCallRunner = (requestSecret?: string) => {
  const endsAt = performance.now() + budgetMs
  return async <T>(call: Call<T>): Promise<T> => {
    const remainingMs = Math.floor(endsAt - performance.now())
    if (remainingMs <= 0) throw toBillingApiError(new StripeError('budget_exhausted', null, 0))
    try {
      return await call({ timeoutMs: Math.min(callTimeoutMs, remainingMs), requestSecret })
    } catch (error) {
      // Another request with the same secret is still making this call.
      if (requestSecret !== undefined && isInUse(error)) throw new ApiError('idempotency_in_progress')
      throw toBillingApiError(error)
    }
  }
}

export type CallRunner = ReturnType<typeof createCallRunner>
