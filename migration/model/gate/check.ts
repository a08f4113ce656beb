import { formatDuration, formatRate } from './format-quantity.ts'

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

/**
 * What a check that is not met has found, the most urgent first: what keeps native from serving, a difference from the core
 * in live responses, another failure.
 */
const findings = ['in-force', 'mismatch', 'failure'] as const
export type Finding = (typeof findings)[number]

/** One condition of a step, with the figures that it was decided on. */
export interface Check {
  readonly id: CheckId
  readonly isMet: boolean
  /** The person who has decided that the step needs no evidence; null if the check must be met. */
  readonly waivedBy: string | null
  readonly sentence: string
  /** Null if it is met, or if evidence is only missing. */
  readonly finding: Finding | null
  /** Milliseconds until it is met, if all goes on as at present: 0 if it is, null if that is unknown or over a year. */
  readonly expectedMs: number | null
}

export const met = (id: CheckId, sentence: string): Check => ({
  id,
  isMet: true,
  waivedBy: null,
  sentence,
  finding: null,
  expectedMs: 0,
})

export const notMet = (id: CheckId, sentence: string, expectedMs: number | null = null): Check => ({
  id,
  isMet: false,
  waivedBy: null,
  sentence,
  finding: null,
  expectedMs,
})

/** A check that waiting does not meet. */
export const found = (finding: Finding, id: CheckId, sentence: string): Check => ({
  ...notMet(id, sentence),
  finding,
})

const urgencyOf = ({ isMet, finding }: Check) => {
  if (isMet) return findings.length + 1
  return finding === null ? findings.length : findings.indexOf(finding)
}

/** What was found, then what is missing, then what is met. */
export const sortByUrgency = (checks: readonly Check[]): readonly Check[] =>
  checks.toSorted((one, other) => urgencyOf(one) - urgencyOf(other))

const minuteMs = 60_000
const yearMs = 365 * 24 * 60 * minuteMs

/**
 * A check that needs `missing` more observations. `subject` is what was counted, and `perMinute` how many more there are
 * at present.
 */
export const waitingFor = (id: CheckId, subject: string, missing: number, perMinute: number): Check => {
  if (!(perMinute > 0)) return notMet(id, `${subject}; none are coming in now.`)
  const expectedMs = (missing / perMinute) * minuteMs
  const rate = `${subject}; at ${formatRate(perMinute)}, the rest takes`
  return expectedMs > yearMs
    ? notMet(id, `${rate} more than a year.`)
    : notMet(id, `${rate} ${formatDuration(expectedMs)}.`, expectedMs)
}
