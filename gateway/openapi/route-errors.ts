import type * as z from 'zod'
import { deliveryOf, isDeliveryLabel } from '#contracts/deliveries.ts'
import { codesOfCore, type ErrorCode, errorRowOf } from '#contracts/errors.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { rateLimitCodes } from '#contracts/shared/rate-limits.ts'
import { listHeaderNames, type ResponseHeaderName } from '#contracts/shared/response-headers.ts'
import { isTwoSided, type Row, rowOf } from '#contracts/shared/row.ts'
import { hasStoredResponses } from '../pipeline/idempotency/identify-request.ts'
import { findRequiredFeature } from '../pipeline/require-entitlement.ts'
import { databaseErrorCode } from '../pipeline/to-api-error.ts'
import { toJsonSchema } from './json-schema.ts'

export const commonErrors: readonly ErrorCode[] = [
  'bad_request',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
  'native_route_not_implemented',
  'gateway_busy',
]

const authErrors = ({ auth }: Row): readonly ErrorCode[] => {
  if (auth === 'public' || auth === 'signature') return []
  if (auth === 'internal') return ['unauthorized']
  if (auth === 'actor?') return ['authentication_unavailable']
  const signIn: readonly ErrorCode[] = ['unauthorized', 'authentication_unavailable']
  return findRequiredFeature(auth) ? [...signIn, 'entitlement_required'] : signIn
}

const signatureErrors = (label: Label): readonly ErrorCode[] => {
  if (!isDeliveryLabel(label)) return []
  const { noSecret, missing = noSecret, invalid } = deliveryOf(label).errors
  return [missing, invalid, noSecret]
}

const scopeErrors = ({ scope }: Row): readonly ErrorCode[] => {
  // Contracts of link routes list their own errors.
  if (scope === undefined || scope.startsWith('link:')) return []
  if (scope === 'pack') return ['pack_not_found']
  if (scope === 'track') return ['track_not_found']
  return scope === 'library:viewer' ? ['library_not_found'] : ['library_not_found', 'forbidden']
}

const invalidValues = ['', '-1', 'no such value', '\u0000']

// Some queries clamp their values and reject nothing.
const canReject = (query: z.ZodType) =>
  Object.keys(toJsonSchema(query, 'input').properties ?? {}).some((name) =>
    invalidValues.some((value) => !query.safeParse({ [name]: value }).success),
  )

const inputErrors = ({ query, body }: Contract): readonly ErrorCode[] => {
  if (body) return ['validation_error', 'invalid_json', 'body_too_large']
  return query && canReject(query) ? ['validation_error'] : []
}

export const isReplacedByCore = (code: ErrorCode): code is keyof typeof codesOfCore => code in codesOfCore

export const idempotencyErrors: readonly ErrorCode[] = [
  'idempotency_in_progress',
  'idempotency_key_reused',
  'rate_limited',
]

const coreErrors = (label: Label): readonly ErrorCode[] =>
  isTwoSided(label) ? ['core_bad_response', 'core_unavailable', 'core_timeout', 'loop_detected'] : []

export const listErrorCodes = (label: Label): readonly ErrorCode[] => {
  const row = rowOf(label)
  const contract: Contract = contracts[label]
  const codes = [
    ...authErrors(row),
    ...signatureErrors(label),
    ...scopeErrors(row),
    ...inputErrors(contract),
    ...(hasStoredResponses(label) ? idempotencyErrors : []),
    ...(contract.errors ?? []),
    ...(contract.limit ? [rateLimitCodes[contract.limit]] : []),
    databaseErrorCode(label),
    ...coreErrors(label),
  ]
  return [...new Set(codes)].filter((code) => !commonErrors.includes(code))
}

/** A route without input never returns 400. */
export const listErrorStatuses = (label: Label, code: ErrorCode): readonly number[] => {
  const { query, body }: Contract = contracts[label]
  const { statuses } = errorRowOf(code)
  return query || body ? statuses : statuses.filter((status) => status !== 400)
}

export const listErrorHeaders = (codes: readonly ErrorCode[]): readonly ResponseHeaderName[] => [
  ...new Set(codes.flatMap((code) => listHeaderNames(errorRowOf(code).headers))),
]

// Errors from limits that the core does not have.
const gatewayLimits: readonly ErrorCode[] = ['body_too_large', ...idempotencyErrors]

/** Leaves out statuses of 500 and above, which only outages cause, and those of `gatewayLimits`. */
export const listDocumentedStatuses = (label: Label): readonly number[] => {
  const contract: Contract = contracts[label]
  const successes = Object.keys(contract.responses).map(Number)
  const codes = listErrorCodes(label).filter((code) => !gatewayLimits.includes(code))
  const errors = codes.flatMap((code) => listErrorStatuses(label, code))
  return [...new Set([...successes, ...errors])].filter((status) => status < 500).sort((a, b) => a - b)
}
