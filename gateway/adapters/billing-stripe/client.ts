import Stripe from 'stripe'
import { ApiError } from '#contracts/errors.ts'

// One call, and all calls of one request together: well within the time that a native route has.
const callTimeoutMs = 4000
const budgetMs = 7000

/** Stripe's own client, which never asks twice by itself. */
export const openClient = (secretKey: string, apiBase: string | undefined) => {
  const { hostname, port, protocol } = new URL(apiBase ?? 'https://api.stripe.com')
  return new Stripe(secretKey, {
    host: hostname,
    protocol: protocol === 'http:' ? 'http' : 'https',
    ...(port === '' ? {} : { port }),
    // The provider is asked again by whoever asked here; one that is slow is not asked twice as much.
    maxNetworkRetries: 0,
    telemetry: false,
    timeout: callTimeoutMs,
    httpClient: Stripe.createFetchHttpClient(),
  })
}

/** A failure of the provider, without its words: these may repeat what it was sent. */
export class ProviderFailure extends Error {
  override name = 'ProviderFailure'
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** Whether the provider has nothing by that id. */
export const isMissing = (error: unknown) =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing'

/** What a caller is told of a failure of the provider. */
export const toProviderError = (error: unknown) => {
  if (error instanceof ApiError) return error
  if (!(error instanceof Stripe.errors.StripeError)) {
    const cause = new ProviderFailure('unexpected_answer')
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

/** Asks the provider, each time within what is left of the time for all of it; failures come as refusals. */
export const createTimeoutBudget = () => {
  const endsAt = performance.now() + budgetMs
  return async <T>(call: Call<T>): Promise<T> => {
    const left = Math.floor(endsAt - performance.now())
    if (left <= 0) throw toProviderError(new Stripe.errors.StripeConnectionError({ message: 'too late' }))
    try {
      return await call({ timeout: Math.min(callTimeoutMs, left) })
    } catch (error) {
      throw toProviderError(error)
    }
  }
}

export type TimeoutBudget = ReturnType<typeof createTimeoutBudget>

/** A change is made once, however often the connection carries it. */
export const once = (options: Stripe.RequestOptions) => ({
  ...options,
  idempotencyKey: crypto.randomUUID(),
})
