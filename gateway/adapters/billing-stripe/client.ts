import Stripe from 'stripe'
import { ApiError } from '#contracts/errors.ts'
import { fetchTraced } from '../fetch-traced.ts'

// One call, and all calls of one request together; both are shorter than the timeout of a native route.
const callTimeoutMs = 4000
const budgetMs = 7000

// Stripe's client passes the URL as text.
const fetchBilling: typeof fetch = (input, init = {}) =>
  fetchTraced('billing provider', input instanceof Request ? input.url : input, init)

/** Creates Stripe's client without its retries. */
export const createStripeClient = (secretKey: string, apiBase: string | undefined) => {
  const { hostname, port, protocol } = new URL(apiBase ?? 'https://api.stripe.com')
  return new Stripe(secretKey, {
    host: hostname,
    protocol: protocol === 'http:' ? 'http' : 'https',
    ...(port === '' ? {} : { port }),
    // The client of the gateway retries; retries here would double the load on a slow provider.
    maxNetworkRetries: 0,
    telemetry: false,
    timeout: callTimeoutMs,
    httpClient: Stripe.createFetchHttpClient(fetchBilling),
  })
}

/** A failure of the provider, without its message, which may contain parts of the request. */
export class ProviderFailure extends Error {
  override name = 'ProviderFailure'
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** Whether the provider has no object with this id. */
export const isMissing = (error: unknown) =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing'

/** Converts a failure of the provider to an error of the contract. */
export const toBillingApiError = (error: unknown) => {
  if (error instanceof ApiError) return error
  if (!(error instanceof Stripe.errors.StripeError)) {
    const cause = new ProviderFailure('unexpected_response')
    return new ApiError('billing_provider_unavailable', {}, { status: 502, cause })
  }
  const { type, code, statusCode = 0 } = error
  const cause = new ProviderFailure([type, code, statusCode].filter(Boolean).join(' '))
  if (type === 'StripeAuthenticationError' || type === 'StripePermissionError')
    return new ApiError('billing_configuration_error', {}, { cause })
  const isDown = statusCode === 0 || statusCode === 429 || statusCode >= 500
  return new ApiError('billing_provider_unavailable', {}, { status: isDown ? 503 : 502, cause })
}

type Call<T> = (options: Stripe.RequestOptions) => Promise<T>

/**
 * Creates the runner for the provider calls of one request: each call has at most the time that remains of the whole
 * budget. Failures are converted by `toBillingApiError`.
 */
export const createCallRunner = () => {
  const endsAt = performance.now() + budgetMs
  return async <T>(call: Call<T>): Promise<T> => {
    const remainingMs = Math.floor(endsAt - performance.now())
    if (remainingMs <= 0)
      throw toBillingApiError(
        new Stripe.errors.StripeConnectionError({ message: 'timeout budget exhausted' }),
      )
    try {
      return await call({ timeout: Math.min(callTimeoutMs, remainingMs) })
    } catch (error) {
      throw toBillingApiError(error)
    }
  }
}

export type CallRunner = ReturnType<typeof createCallRunner>

/** Adds an idempotency key, so that a request that is sent twice is applied once. */
export const addIdempotencyKey = (options: Stripe.RequestOptions) => ({
  ...options,
  idempotencyKey: crypto.randomUUID(),
})
