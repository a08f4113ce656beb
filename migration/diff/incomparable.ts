import { absent, type Finding, locationAt } from './findings.ts'
import type { RecordedResponse } from './recorded-response.ts'
import { shown } from './shape.ts'
import type { Blame, DifferenceKind } from './verdict.ts'

/** Why two answers say nothing about how their implementations compare. */
export interface Incomparable {
  readonly finding: Finding
  readonly blame: Blame
  readonly reason: string
}

const runtimeHeader = 'x-service-core-runtime'

const findingAt = (kind: DifferenceKind, path: string, native: unknown, core: unknown): Finding => {
  return {
    kind,
    place: locationAt(path),
    shape: shown,
    pairs: [{ native: native ?? absent, core: core ?? absent }],
  }
}

const sameImplementation = (native: RecordedResponse, core: RecordedResponse): Incomparable | null => {
  const [ours, theirs] = [native.headers[runtimeHeader], core.headers[runtimeHeader]]
  if (ours !== 'proxy' && theirs !== 'native') return null
  return {
    finding: findingAt('header', `headers.${runtimeHeader}`, ours, theirs),
    blame: ours === 'proxy' ? 'native' : 'core',
    reason: ours === 'proxy' ? 'the core answered for native' : 'native answered for the core',
  }
}

const overloaded = 429
const unavailable = [502, 503, 504]

// A limit that one side has reached, or a core that is not there, is the state of a moment.
const isMomentary = ({ status }: RecordedResponse, other: RecordedResponse) =>
  status === overloaded && other.status !== overloaded

const passingState = (native: RecordedResponse, core: RecordedResponse): Incomparable | null => {
  const finding = findingAt('status', 'status', native.status, core.status)
  if (isMomentary(native, core)) return { finding, blame: 'native', reason: 'native had reached a limit' }
  if (isMomentary(core, native)) return { finding, blame: 'core', reason: 'the core had reached a limit' }
  if (unavailable.includes(core.status) && native.status !== core.status) {
    return { finding, blame: 'core', reason: 'the core was not available' }
  }
  if (native.status !== 500 || core.status !== 500) return null
  return { finding, blame: 'both', reason: 'both sides failed' }
}

/** The reason why nothing follows from comparing the two, if there is one. */
export const incomparable = (native: RecordedResponse, core: RecordedResponse) =>
  sameImplementation(native, core) ?? passingState(native, core)
