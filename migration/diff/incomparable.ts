import { absent, type Finding, locationAt } from './findings.ts'
import { harmlessHeader } from './harmless-headers.ts'
import type { RecordedResponse } from './recorded-response.ts'
import { type Shape, unmaskedShape } from './shape.ts'
import type { Blame, DifferenceKind } from './verdict.ts'

export const incomparableCodes = ['same_side', 'rate_limited', 'core_unavailable', 'both_failed'] as const
type IncomparableCode = (typeof incomparableCodes)[number]

/** Why two responses say nothing about how the implementations differ. */
export interface Incomparable {
  readonly code: IncomparableCode
  readonly finding: Finding
  readonly blame: Blame
  readonly reason: string
}

const runtimeHeader = 'x-service-core-runtime'

const findingAt = (
  kind: DifferenceKind,
  path: string,
  shape: Shape,
  native: unknown,
  core: unknown,
): Finding => ({
  kind,
  location: locationAt(path),
  shape,
  pairs: [{ native: native ?? absent, core: core ?? absent }],
})

const findSameImplementation = (native: RecordedResponse, core: RecordedResponse): Incomparable | null => {
  const [ours, theirs] = [native.headers[runtimeHeader], core.headers[runtimeHeader]]
  if (ours !== 'proxy' && theirs !== 'native') return null
  return {
    code: 'same_side',
    finding: findingAt('header', `headers.${runtimeHeader}`, harmlessHeader(runtimeHeader), ours, theirs),
    blame: ours === 'proxy' ? 'native' : 'core',
    reason:
      ours === 'proxy'
        ? 'the core served the request sent to the native side'
        : 'native served the request sent to the core side',
  }
}

const overloaded = 429
const unavailable = [502, 503, 504]

// A rate limit on one side and an unavailable core are transient.
const isRateLimitedAlone = ({ status }: RecordedResponse, other: RecordedResponse) =>
  status === overloaded && other.status !== overloaded

const findTransientState = (native: RecordedResponse, core: RecordedResponse): Incomparable | null => {
  const finding = findingAt('status', 'status', unmaskedShape, native.status, core.status)
  if (isRateLimitedAlone(native, core))
    return { code: 'rate_limited', finding, blame: 'native', reason: 'only native returned 429' }
  if (isRateLimitedAlone(core, native))
    return { code: 'rate_limited', finding, blame: 'core', reason: 'only the core returned 429' }
  if (unavailable.includes(core.status) && native.status !== core.status) {
    return { code: 'core_unavailable', finding, blame: 'core', reason: 'the core was unavailable' }
  }
  if (native.status !== 500 || core.status !== 500) return null
  return { code: 'both_failed', finding, blame: 'both', reason: 'both sides returned 500' }
}

/** Returns why two responses cannot be compared; `null` if they can. */
export const findIncomparable = (native: RecordedResponse, core: RecordedResponse) =>
  findSameImplementation(native, core) ?? findTransientState(native, core)
