import type { Label } from '#contracts/route-table.ts'
import { isObject } from '#shared/json.ts'
import { compareResponses, ignoreOwnHeaders } from './compare-responses.ts'
import { contractOf } from './contract-of-response.ts'
import { toDiffSchema } from './diff-schema.ts'
import { findDifferences } from './find-differences.ts'
import { findIncomparable, incomparableCodes, tooManyRequests } from './incomparable.ts'
import { isUnder, type Rules } from './judge.ts'
import { jsonOf, type RecordedResponse, readErrorCode } from './recorded-response.ts'
import { type Difference, isLeak, isRegression, type Verdict } from './verdict.ts'

/** Reasons why the responses to a client's request say nothing about native. */
const liveLimits = ['rate_limited', 'quota_exceeded', 'not_paged'] as const
type LiveLimit = (typeof liveLimits)[number]

const cursorField = 'nextCursor'

const isQuotaExceeded = ({ status, body }: RecordedResponse) =>
  status === 409 && readErrorCode(body) === 'quota_exceeded'

const hasCursor = (response: RecordedResponse) => {
  const body = jsonOf(response)
  return isObject(body) && Object.hasOwn(body, cursorField)
}

const declaresCursor = (label: Label) => {
  const schema = contractOf(label).responses[200]
  const compiled = schema ? toDiffSchema(schema) : null
  return compiled?.kind === 'object' && compiled.fields.has(cursorField)
}

// Paging is native's addition, so a core without it returns the whole list.
const isUnpaged = (label: Label, query: string, core: RecordedResponse) => {
  if (core.status !== 200 || !declaresCursor(label)) return false
  const parameters = new URLSearchParams(query)
  return (parameters.has('limit') || parameters.has('cursor')) && !hasCursor(core)
}

/**
 * Returns why two responses to a client's request cannot be compared; `null` if they can. The sides may count the
 * client's earlier actions towards a limit separately, or the core may not page the list. `query` has no question mark.
 */
export const findLiveLimit = (
  label: Label,
  query: string,
  native: RecordedResponse,
  core: RecordedResponse,
): LiveLimit | null => {
  if (native.status === tooManyRequests || core.status === tooManyRequests) return 'rate_limited'
  if (isQuotaExceeded(native) || isQuotaExceeded(core)) return 'quota_exceeded'
  const isPagedByNative = native.status === 200 && hasCursor(native)
  return isPagedByNative && isUnpaged(label, query, core) ? 'not_paged' : null
}

/** Whether native could return a response that can be compared with the core's. */
export const isReference = (label: Label, query: string, core: RecordedResponse): boolean =>
  core.status < 500 &&
  core.status !== tooManyRequests &&
  !isQuotaExceeded(core) &&
  !isUnpaged(label, query, core)

export const liveExclusions = [...new Set([...liveLimits, ...incomparableCodes])] as const
type LiveExclusion = (typeof liveExclusions)[number]

interface Excluded {
  readonly kind: 'not_comparable'
  readonly reason: LiveExclusion
}

// If the number or order of a list's elements changes, the list itself and everything in it is affected too.
const isAffected = (path: string, changed: string) =>
  changed === 'status' || isUnder(path, changed) || changed === `${path}.*`

/**
 * Returns native's differences from both core responses, in places where the core responses agree. A leak always
 * persists, because nothing that the core returns can justify it. `changed` lists the paths where the core responses
 * differ.
 */
export const selectPersistent = (
  toBefore: Verdict,
  toAfter: Verdict,
  changed: readonly string[],
): readonly Difference[] => {
  const signatures = new Set(toBefore.differences.filter(isRegression).map(({ signature }) => signature))
  return toAfter.differences.filter(
    (difference) =>
      isLeak(difference) ||
      (isRegression(difference) &&
        signatures.has(difference.signature) &&
        !changed.some((other) => isAffected(difference.path, other))),
  )
}

const times = 'live'

const findChanges = (label: Label, before: RecordedResponse, after: RecordedResponse) =>
  findDifferences(
    contractOf(label),
    ignoreOwnHeaders(after),
    ignoreOwnHeaders(before),
    false,
    true,
    times,
  ).map(({ location }) => location.path)

/** The differences in native's first response, and the core response that came before it. */
export interface FirstComparison<R> {
  readonly core: R
  readonly differences: readonly Difference[]
}

interface ConfirmingResponses {
  readonly before: RecordedResponse
  readonly after: RecordedResponse
  /** Null if native was asked before the core, because the data may have changed in between. */
  readonly first: FirstComparison<RecordedResponse> | null
}

/**
 * Returns the differences in native's first or repeated response, at places where the core's responses agree. A
 * difference in one of the two is enough, because a fault may be random.
 */
export const confirmAgainstCore = (
  label: Label,
  native: RecordedResponse,
  { before, after, first }: ConfirmingResponses,
  rules: Rules,
): readonly Difference[] => {
  const changed = findChanges(label, before, after)
  const persistent = selectPersistent(
    compareResponses(label, native, before, { ...rules, times }),
    compareResponses(label, native, after, { ...rules, times }),
    changed,
  )
  if (first === null) return persistent
  const changedSince = [
    ...changed,
    ...[before, after].flatMap((core) => findChanges(label, first.core, core)),
  ]
  const repeated = new Set(persistent.map(({ signature }) => signature))
  const once = first.differences.filter(
    ({ signature, path }) =>
      !repeated.has(signature) && !changedSince.some((other) => isAffected(path, other)),
  )
  return [...persistent, ...once]
}

/** Native's response to a client's request, or to a copy of it. `query` has no question mark. */
export interface LiveResponse {
  readonly label: Label
  readonly query: string
  readonly native: RecordedResponse
}

const findExclusion = ({ label, query, native }: LiveResponse, core: RecordedResponse) =>
  findLiveLimit(label, query, native, core) ?? findIncomparable(native, core)?.code ?? null

/** Reports a leak even if the responses cannot be compared. */
export const compareLive = (live: LiveResponse, core: RecordedResponse, rules: Rules): Verdict | Excluded => {
  const verdict = compareResponses(live.label, live.native, core, { ...rules, times })
  const reason = findExclusion(live, core)
  return reason === null || verdict.differences.some(isLeak) ? verdict : { kind: 'not_comparable', reason }
}

/** `live` is native's response to the repeated request. */
export const confirmLive = (
  live: LiveResponse,
  core: ConfirmingResponses,
  rules: Rules,
): readonly Difference[] | Excluded => {
  const persistent = confirmAgainstCore(live.label, live.native, core, rules)
  const reason = findExclusion(live, core.before) ?? findExclusion(live, core.after)
  return reason === null || persistent.some(isLeak) ? persistent : { kind: 'not_comparable', reason }
}
