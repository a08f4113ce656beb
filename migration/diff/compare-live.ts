import type { Label } from '#contracts/route-table.ts'
import { type ConfirmingResponses, confirmAgainstCore } from './confirm-live.ts'
import { findIncomparable, incomparableCodes } from './incomparable.ts'
import type { Rules } from './judge.ts'
import { judgeResponses } from './judge-responses.ts'
import { findLiveLimit, liveLimits } from './live-limits.ts'
import type { RecordedResponse } from './recorded-response.ts'
import { type Difference, isLeak, type Verdict } from './verdict.ts'

/** Reasons not to compare live responses at all. */
export const liveExclusions = [...new Set([...liveLimits, ...incomparableCodes])] as const
type LiveExclusion = (typeof liveExclusions)[number]

interface Excluded {
  readonly kind: 'not_comparable'
  readonly reason: LiveExclusion
}

/** Native's response to a client's request, or to a copy of it. `query` has no question mark. */
export interface LiveResponse {
  readonly label: Label
  readonly query: string
  readonly native: RecordedResponse
}

const findExclusion = ({ label, query, native }: LiveResponse, core: RecordedResponse) =>
  findLiveLimit(label, query, native, core) ?? findIncomparable(native, core)?.code ?? null

/** Compares a live native response with the core's. Reports a leak even if the responses cannot be compared. */
export const compareLive = (live: LiveResponse, core: RecordedResponse, rules: Rules): Verdict | Excluded => {
  const verdict = judgeResponses(live.label, live.native, core, rules)
  const reason = findExclusion(live, core)
  return reason === null || verdict.differences.some(isLeak) ? verdict : { kind: 'not_comparable', reason }
}

/**
 * Returns native's differences in places where the core's own responses agree with each other. `live` is native's
 * response to the repeated request.
 */
export const confirmLive = (
  live: LiveResponse,
  core: ConfirmingResponses,
  rules: Rules,
): readonly Difference[] | Excluded => {
  const persistent = confirmAgainstCore(live.label, live.native, core, rules)
  const reason = findExclusion(live, core.before) ?? findExclusion(live, core.after)
  return reason === null || persistent.some(isLeak) ? persistent : { kind: 'not_comparable', reason }
}
