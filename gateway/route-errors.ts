import type { ErrorCode } from '#contracts/errors.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { type Row, rowOf } from '#contracts/shared/row.ts'
import { featureOf } from './pipeline/require-entitlement.ts'
import { databaseCodeOf } from './refusal-of.ts'

/** What any request can meet, whatever it asks for. */
export const commonErrors: readonly ErrorCode[] = [
  'bad_request',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
  'native_route_not_implemented',
]

const authErrors = ({ auth }: Row): readonly ErrorCode[] => {
  if (auth === 'public' || auth === 'signature') return []
  if (auth === 'internal') return ['unauthorized']
  if (auth === 'actor?') return ['authentication_unavailable']
  const signIn: readonly ErrorCode[] = ['unauthorized', 'authentication_unavailable']
  return featureOf(auth) ? [...signIn, 'entitlement_required'] : signIn
}

const scopeErrors = ({ scope }: Row): readonly ErrorCode[] => {
  // Those of a link stand in its contract.
  if (scope === undefined || scope.startsWith('link:')) return []
  if (scope === 'pack') return ['pack_not_found']
  if (scope === 'track') return ['track_not_found']
  return scope === 'library:viewer' ? ['library_not_found'] : ['library_not_found', 'forbidden']
}

const inputErrors = ({ query, body }: Contract): readonly ErrorCode[] => {
  if (body) return ['validation_error', 'invalid_json', 'body_too_large']
  return query ? ['validation_error'] : []
}

const coreErrors = ({ runtime }: Row): readonly ErrorCode[] =>
  runtime === 'native-only' ? [] : ['core_bad_response', 'core_unavailable', 'core_timeout', 'loop_detected']

/** The refusals of one route: its own, and those that follow from its row and from its having an input. */
export const errorsOf = (label: Label): readonly ErrorCode[] => {
  const row = rowOf(label)
  const contract: Contract = contracts[label]
  const codes = [
    ...authErrors(row),
    ...scopeErrors(row),
    ...inputErrors(contract),
    ...(contract.errors ?? []),
    databaseCodeOf(label),
    ...coreErrors(row),
  ]
  return [...new Set(codes)].filter((code) => !commonErrors.includes(code))
}
