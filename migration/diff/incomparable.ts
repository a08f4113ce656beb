import { absent, type Finding, locationAt } from './findings.ts'
import type { RecordedResponse } from './recorded-response.ts'
import { unmaskedShape } from './shape.ts'
import type { Blame, DifferenceKind } from './verdict.ts'

/** Why two responses do not allow a comparison of the implementations. */
export interface Incomparable {
  readonly finding: Finding
  readonly blame: Blame
  readonly reason: string
}

const runtimeHeader = 'x-service-core-runtime'

const findingAt = (kind: DifferenceKind, path: string, native: unknown, core: unknown): Finding => {
  return {
    kind,
    location: locationAt(path),
    shape: unmaskedShape,
    pairs: [{ native: native ?? absent, core: core ?? absent }],
  }
}

const findSameImplementation = (native: RecordedResponse, core: RecordedResponse): Incomparable | null => {
  const [ours, theirs] = [native.headers[runtimeHeader], core.headers[runtimeHeader]]
  if (ours !== 'proxy' && theirs !== 'native') return null
  return {
    finding: findingAt('header', `headers.${runtimeHeader}`, ours, theirs),
    blame: ours === 'proxy' ? 'native' : 'core',
    reason:
      ours === 'proxy'
        ? 'the core served the request to the native side'
        : 'native served the request to the core side',
  }
}

const overloaded = 429
const unavailable = [502, 503, 504]

// A rate limit on one side and an unavailable core are transient states.
const isRateLimitedAlone = ({ status }: RecordedResponse, other: RecordedResponse) =>
  status === overloaded && other.status !== overloaded

const findTransientState = (native: RecordedResponse, core: RecordedResponse): Incomparable | null => {
  const finding = findingAt('status', 'status', native.status, core.status)
  if (isRateLimitedAlone(native, core))
    return { finding, blame: 'native', reason: 'only native returned 429' }
  if (isRateLimitedAlone(core, native))
    return { finding, blame: 'core', reason: 'only the core returned 429' }
  if (unavailable.includes(core.status) && native.status !== core.status) {
    return { finding, blame: 'core', reason: 'the core was unavailable' }
  }
  if (native.status !== 500 || core.status !== 500) return null
  return { finding, blame: 'both', reason: 'both sides returned 500' }
}

/** The reason why two responses cannot be compared; `null` if they can. */
export const findIncomparable = (native: RecordedResponse, core: RecordedResponse) =>
  findSameImplementation(native, core) ?? findTransientState(native, core)
