import {
  type CusumParameters,
  createCusumParameters,
  createCusumStream,
  observe,
  type Rates,
} from '../stop/cusum.ts'
import type { CusumStream } from '../stop/stored-observations.ts'
import {
  addComparisons,
  createSequentialTestState,
  type SequentialTest,
  type SequentialTestState,
} from './sequential-test.ts'

/** Why comparisons stop a route: too many regressions, or one response with data that must never leave the service. */
export type MismatchCause = 'mismatches' | 'critical'

/** The fraction of comparisons with a confirmed regression, for good code and for bad code. */
const mismatchRates: Rates = { good: 0.0005, bad: 0.01 }

export const createMismatchParameters = (): CusumParameters => createCusumParameters(mismatchRates)

export interface ComparedResponses {
  readonly comparisons: number
  readonly regressions: number
  /** Comparisons with a leak, which needs no confirmation. */
  readonly critical: number
}

export const observeComparisons = (
  stream: CusumStream,
  parameters: CusumParameters,
  { comparisons, regressions, critical }: ComparedResponses,
): MismatchCause | null => {
  const hasAlarm = observe(stream, parameters, comparisons, regressions)
  if (critical > 0) return 'critical'
  return hasAlarm ? 'mismatches' : null
}

export interface EvidenceSet {
  readonly test: SequentialTestState
  readonly mismatches: CusumStream
  /** Once raised, an alarm stays until the code changes. */
  readonly alarm: MismatchCause | null
  /** When comparisons last raised the alarm, in Unix milliseconds. */
  readonly alarmAt: number | null
  readonly critical: number
}

export const createEvidenceSet = (): EvidenceSet => ({
  test: createSequentialTestState(),
  mismatches: createCusumStream(),
  alarm: null,
  alarmAt: null,
  critical: 0,
})

const parameters = createMismatchParameters()

/**
 * Adds comparisons to the test and to the stream of regressions. A failed test raises one alarm; if an older release
 * stored the failure without an alarm, the next comparison raises it. While the stream is above its threshold, every
 * further regression raises an alarm.
 */
export const extendEvidenceSet = (
  set: EvidenceSet,
  added: ComparedResponses,
  test: SequentialTest,
  now: number,
): EvidenceSet => {
  const mismatches = { ...set.mismatches }
  const cause = observeComparisons(mismatches, parameters, added)
  const tested = addComparisons(set.test, test, added.comparisons, added.regressions)
  const hasFailed = tested.hasFailed && (!set.test.hasFailed || set.alarm === null)
  const isRaised = hasFailed || (cause !== null && added.regressions + added.critical > 0)
  return {
    test: tested,
    mismatches,
    alarm: isRaised && set.alarm !== 'critical' ? (cause ?? 'mismatches') : set.alarm,
    alarmAt: isRaised ? now : set.alarmAt,
    critical: set.critical + added.critical,
  }
}
