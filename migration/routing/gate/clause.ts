import { formatDuration, formatRate } from './format-quantity.ts'

export type ClauseId =
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
export interface Clause {
  readonly id: ClauseId
  readonly holds: boolean
  /** The person who has decided that the step needs no evidence; null if the clause must hold. */
  readonly waivedBy: string | null
  readonly sentence: string
  /** Milliseconds until it holds, if all goes on as at present: 0 if it does, null if that is unknown or over a year. */
  readonly expectedMs: number | null
}

export const satisfied = (id: ClauseId, sentence: string): Clause => ({
  id,
  holds: true,
  waivedBy: null,
  sentence,
  expectedMs: 0,
})

export const unsatisfied = (id: ClauseId, sentence: string, expectedMs: number | null = null): Clause => ({
  id,
  holds: false,
  waivedBy: null,
  sentence,
  expectedMs,
})

const minuteMs = 60_000
const yearMs = 365 * 24 * 60 * minuteMs

/**
 * A clause that needs `missing` more observations. `subject` is what was counted, and `perMinute` how many more there are
 * at present.
 */
export const waitingFor = (id: ClauseId, subject: string, missing: number, perMinute: number): Clause => {
  if (!(perMinute > 0)) return unsatisfied(id, `${subject}; at present there are none.`)
  const expectedMs = (missing / perMinute) * minuteMs
  const rate = `${subject}; at the present ${formatRate(perMinute)} this takes`
  return expectedMs > yearMs
    ? unsatisfied(id, `${rate} more than a year.`)
    : unsatisfied(id, `${rate} ${formatDuration(expectedMs)}.`, expectedMs)
}
