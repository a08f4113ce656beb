import * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'
import { fetchTraced } from '#shared/fetch-traced.ts'
import { signHmac } from '#shared/hmac-sha256.ts'

// The parts of an error that may be logged: Stripe's own identifiers, and nothing from the request.
const Word = z
  .string()
  .regex(/^[a-z0-9_]{1,64}$/)
  .nullish()
  .catch(null)
const ErrorBody = z.object({ error: z.object({ type: Word, code: Word }) })

/** Status 0 means there was no response. */
export class StripeError extends Error {
  override name = 'StripeError'
  readonly type: string
  readonly code: string | null
  readonly status: number
  /** Whether Stripe repeated its response to an earlier request with the same idempotency key. */
  readonly isReplayed: boolean

  constructor(type: string, code: string | null, status: number, isReplayed = false) {
    super([type, code, status].filter(Boolean).join(' '))
    this.type = type
    this.code = code
    this.status = status
    this.isReplayed = isReplayed
  }
}

const createResponseError = ({ status, headers }: Response, body: unknown) => {
  const { type, code } = ErrorBody.safeParse(body).data?.error ?? {}
  const isReplayed = headers.get('idempotent-replayed') === 'true'
  return new StripeError(type ?? 'unknown_error', code ?? null, status, isReplayed)
}

/** A failure at Stripe, without its message, which may quote the request. */
export class ProviderFailure extends Error {
  override name = 'ProviderFailure'
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

export const isInvalidRequest = (error: unknown): error is StripeError =>
  error instanceof StripeError &&
  (error.status === 400 || error.status === 404) &&
  error.type !== 'idempotency_error' &&
  error.code !== 'rate_limit'

export const isMissing = (error: unknown): error is StripeError =>
  isInvalidRequest(error) && error.code === 'resource_missing'

const isInUse = (error: unknown) => error instanceof StripeError && error.code === 'idempotency_key_in_use'

export const toBillingApiError = (error: unknown) => {
  if (error instanceof ApiError) return error
  if (!(error instanceof StripeError)) {
    const cause = new ProviderFailure('unexpected_response')
    return new ApiError('billing_provider_unavailable', {}, { status: 502, cause })
  }
  const { status, message } = error
  const cause = new ProviderFailure(message)
  if (status === 401 || status === 403) return new ApiError('billing_configuration_error', {}, { cause })
  const isDown = status === 0 || status === 429 || status >= 500 || isInUse(error)
  return new ApiError('billing_provider_unavailable', {}, { status: isDown ? 503 : 502, cause })
}

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
      if (!response.ok || hasError(content)) throw createResponseError(response, content)
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
