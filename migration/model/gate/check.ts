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
  | 'transients'
  | 'drops'
  | 'accounts'
  | 'alarms'
  | 'step-time'
  | 'native-requests'

/** One condition of a step, with the figures that it was decided on. */
export interface Check {
  readonly id: CheckId
  readonly isMet: boolean
  /** The person who has decided that the step needs no evidence; null if the check must be met. */
  readonly waivedBy: string | null
  readonly sentence: string
  /** Milliseconds until it is met, if all goes on as at present: 0 if it is, null if that is unknown or over a year. */
  readonly expectedMs: number | null
}

export const met = (id: CheckId, sentence: string): Check => ({
  id,
  isMet: true,
  waivedBy: null,
  sentence,
  expectedMs: 0,
})

export const notMet = (id: CheckId, sentence: string, expectedMs: number | null = null): Check => ({
  id,
  isMet: false,
  waivedBy: null,
  sentence,
  expectedMs,
})

const minuteMs = 60_000
const yearMs = 365 * 24 * 60 * minuteMs

/**
 * A check that needs `missing` more observations. `subject` is what was counted, and `perMinute` how many more there are
 * at present.
 */
export const waitingFor = (id: CheckId, subject: string, missing: number, perMinute: number): Check => {
  if (!(perMinute > 0)) return notMet(id, `${subject}; at present there are none.`)
  const expectedMs = (missing / perMinute) * minuteMs
  const rate = `${subject}; at the present ${formatRate(perMinute)} this takes`
  return expectedMs > yearMs
    ? notMet(id, `${rate} more than a year.`)
    : notMet(id, `${rate} ${formatDuration(expectedMs)}.`, expectedMs)
}
