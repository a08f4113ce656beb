import * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'

// What the log shows of an error: words of the provider, and nothing that repeats the request.
const Word = z
  .string()
  .regex(/^[a-z0-9_]{1,64}$/)
  .nullish()
  .catch(null)
const ErrorBody = z.object({ error: z.object({ type: Word, code: Word }) })

/** An error response of the provider, or no response: then the status is 0. */
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

/** Creates the error of a response whose status or body reports one. */
export const createResponseError = (status: number, body: unknown) => {
  const { type, code } = ErrorBody.safeParse(body).data?.error ?? {}
  return new StripeError(type ?? 'unknown_error', code ?? null, status)
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

/** Whether the provider rejects what the request asks for, for example because of the state of the object. */
export const isInvalidRequest = (error: unknown): error is StripeError =>
  error instanceof StripeError &&
  (error.status === 400 || error.status === 404) &&
  error.type !== 'idempotency_error' &&
  error.code !== 'rate_limit'

/** Whether the provider has no object with this id. */
export const isMissing = (error: unknown) => isInvalidRequest(error) && error.code === 'resource_missing'

/** Whether the provider still serves a call with the same idempotency key. */
export const isInUse = (error: unknown) =>
  error instanceof StripeError && error.code === 'idempotency_key_in_use'

/** Converts a failure of the provider to an error of the contract. */
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
