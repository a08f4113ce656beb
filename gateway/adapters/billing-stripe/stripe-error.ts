import * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'

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

  constructor(type: string, code: string | null, status: number) {
    super([type, code, status].filter(Boolean).join(' '))
    this.type = type
    this.code = code
    this.status = status
  }
}

export const createResponseError = (status: number, body: unknown) => {
  const { type, code } = ErrorBody.safeParse(body).data?.error ?? {}
  return new StripeError(type ?? 'unknown_error', code ?? null, status)
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

export const isMissing = (error: unknown) => isInvalidRequest(error) && error.code === 'resource_missing'

export const isInUse = (error: unknown) =>
  error instanceof StripeError && error.code === 'idempotency_key_in_use'

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
