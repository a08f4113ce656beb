import { minuteMs } from '#shared/durations.ts'
import { formatDuration, formatRate } from '#shared/format-quantity.ts'

export type CheckId =
  | 'not-killed'
  | 'not-held'
  | 'code-not-failed'
  | 'instances'
  | 'contract'
  | 'comparisons'
  | 'mismatches'
  | 'statuses'
  | 'shapes'
  | 'transients'
  | 'drops'
  | 'accounts'
  | 'alarms'
  | 'step-time'
  | 'native-requests'

// The kinds of problems that a check can find, most urgent first: something that keeps native from serving, a
// difference from the core in live responses, or another failure.
const urgencies = ['in-force', 'mismatch', 'failure'] as const
export type Urgency = (typeof urgencies)[number]

export interface Condition<Id extends string> {
  readonly id: Id
  readonly isMet: boolean
  readonly sentence: string
}

export interface Check extends Condition<CheckId> {
  /** Null if the check is met or only lacks evidence. */
  readonly finding: Urgency | null
  /** Milliseconds until the check is met at the current rate; null if unknown or over a year. */
  readonly expectedMs: number | null
}

export const met = (id: CheckId, sentence: string): Check => ({
  id,
  isMet: true,
  sentence,
  finding: null,
  expectedMs: 0,
})

export const notMet = (id: CheckId, sentence: string, expectedMs: number | null = null): Check => ({
  ...met(id, sentence),
  isMet: false,
  expectedMs,
})

/** Creates an unmet check that found a problem, so waiting will not meet it. */
export const found = (urgency: Urgency, id: CheckId, sentence: string): Check => ({
  ...notMet(id, sentence),
  finding: urgency,
})

const rankOf = ({ isMet, finding }: Check) => {
  if (isMet) return urgencies.length + 1
  return finding === null ? urgencies.length : urgencies.indexOf(finding)
}

export const sortByUrgency = (checks: readonly Check[]): readonly Check[] =>
  checks.toSorted((one, other) => rankOf(one) - rankOf(other))

const yearMs = 365 * 24 * 60 * minuteMs

export const waitingFor = (id: CheckId, subject: string, missing: number, perMinute: number): Check => {
  if (!(perMinute > 0)) return notMet(id, `${subject}; none are coming in now.`)
  const expectedMs = (missing / perMinute) * minuteMs
  const rate = `${subject}; at ${formatRate(perMinute)}, the rest takes`
  return expectedMs > yearMs
    ? notMet(id, `${rate} more than a year.`)
    : notMet(id, `${rate} ${formatDuration(expectedMs)}.`, expectedMs)
}
