import type * as z from 'zod'
import { type ErrorCode, errorTable } from '#contracts/errors.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { type Row, rowOf } from '#contracts/shared/row.ts'
import { requiredFeature } from '../pipeline/require-entitlement.ts'
import { databaseErrorCode } from '../pipeline/to-api-error.ts'
import { toJsonSchema } from './openapi-schemas.ts'

/** What any request can meet, whatever it asks for. */
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
  return requiredFeature(auth) ? [...signIn, 'entitlement_required'] : signIn
}

const scopeErrors = ({ scope }: Row): readonly ErrorCode[] => {
  // Those of a link stand in its contract.
  if (scope === undefined || scope.startsWith('link:')) return []
  if (scope === 'pack') return ['pack_not_found']
  if (scope === 'track') return ['track_not_found']
  return scope === 'library:viewer' ? ['library_not_found'] : ['library_not_found', 'forbidden']
}

const oddValues = ['', '-1', 'no such value', '\u0000']

// Some queries are cut to fit and never refused.
const canRefuse = (query: z.ZodType) =>
  Object.keys(toJsonSchema(query, 'input').properties ?? {}).some((name) =>
    oddValues.some((value) => !query.safeParse({ [name]: value }).success),
  )

const inputErrors = ({ query, body }: Contract): readonly ErrorCode[] => {
  if (body) return ['validation_error', 'invalid_json', 'body_too_large']
  return query && canRefuse(query) ? ['validation_error'] : []
}

const coreErrors = ({ runtime }: Row): readonly ErrorCode[] =>
  runtime === 'native-only' ? [] : ['core_bad_response', 'core_unavailable', 'core_timeout', 'loop_detected']

/** The refusals of one route: its own, and those that follow from its row and from its having an input. */
export const listErrorCodes = (label: Label): readonly ErrorCode[] => {
  const row = rowOf(label)
  const contract: Contract = contracts[label]
  const codes = [
    ...authErrors(row),
    ...scopeErrors(row),
    ...inputErrors(contract),
    ...(contract.errors ?? []),
    databaseErrorCode(label),
    ...coreErrors(row),
  ]
  return [...new Set(codes)].filter((code) => !commonErrors.includes(code))
}

/** The statuses with which a route answers one of its codes: a route that reads nothing has nothing to call wrong. */
export const listErrorStatuses = (label: Label, code: ErrorCode): readonly number[] => {
  const { query, body }: Contract = contracts[label]
  const statuses: readonly number[] = errorTable[code][0]
  return query || body ? statuses : statuses.filter((status) => status !== 400)
}

/**
 * The statuses by which a route answers what it was asked. Those of 500 and above tell of an outage, which no
 * request brings about, and how long a body may be is a limit of the gateway rather than of a route.
 */
export const listDocumentedStatuses = (label: Label): readonly number[] => {
  const contract: Contract = contracts[label]
  const successes = Object.keys(contract.responses).map(Number)
  const codes = listErrorCodes(label).filter((code) => code !== 'body_too_large')
  const refusals = codes.flatMap((code) => listErrorStatuses(label, code))
  return [...new Set([...successes, ...refusals])].filter((status) => status < 500).sort((a, b) => a - b)
}
