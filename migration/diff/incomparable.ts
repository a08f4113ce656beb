import { harmlessHeader } from './compare-headers.ts'
import { unmaskedSchema } from './diff-schema.ts'
import { differenceAt, type RawDifference } from './difference-collector.ts'
import type { RecordedResponse } from './recorded-response.ts'
import type { Blame } from './verdict.ts'

export const incomparableCodes = ['same_side', 'rate_limited', 'core_unavailable', 'both_failed'] as const
type IncomparableCode = (typeof incomparableCodes)[number]

interface Incomparable {
  readonly code: IncomparableCode
  readonly difference: RawDifference
  readonly blame: Blame
  readonly reason: string
}

const runtimeHeader = 'x-service-core-runtime'

const findSameImplementation = (native: RecordedResponse, core: RecordedResponse): Incomparable | null => {
  const [ours, theirs] = [native.headers[runtimeHeader], core.headers[runtimeHeader]]
  const isForwarded = ours === 'proxy'
  if (!isForwarded && theirs !== 'native') return null
  const path = `headers.${runtimeHeader}`
  return {
    code: 'same_side',
    difference: differenceAt('header', path, harmlessHeader(runtimeHeader), ours, theirs),
    blame: isForwarded ? 'native' : 'core',
    reason: isForwarded
      ? 'the core served the request sent to the native side'
      : 'native served the request sent to the core side',
  }
}

export const tooManyRequests = 429
export const unavailableStatuses = [502, 503, 504]

// A rate limit on one side and an unavailable core are transient.
const isRateLimitedAlone = ({ status }: RecordedResponse, other: RecordedResponse) =>
  status === tooManyRequests && other.status !== tooManyRequests

const findTransientState = (native: RecordedResponse, core: RecordedResponse): Incomparable | null => {
  const difference = differenceAt('status', 'status', unmaskedSchema, native.status, core.status)
  if (isRateLimitedAlone(native, core))
    return { code: 'rate_limited', difference, blame: 'native', reason: 'only native returned 429' }
  if (isRateLimitedAlone(core, native))
    return { code: 'rate_limited', difference, blame: 'core', reason: 'only the core returned 429' }
  if (unavailableStatuses.includes(core.status) && native.status !== core.status) {
    return { code: 'core_unavailable', difference, blame: 'core', reason: 'the core was unavailable' }
  }
  if (native.status !== 500 || core.status !== 500) return null
  return { code: 'both_failed', difference, blame: 'both', reason: 'both sides returned 500' }
}

export const findIncomparable = (native: RecordedResponse, core: RecordedResponse) =>
  findSameImplementation(native, core) ?? findTransientState(native, core)
