import { createCusumStream } from '../stop/cusum.ts'
import {
  type ComparedResponses,
  createMismatchParameters,
  type MismatchCause,
  observeComparisons,
} from '../stop/mismatch-stop.ts'
import type { CusumStream } from '../stop/stored-observations.ts'
import {
  addComparisons,
  createSequentialTestState,
  type SequentialTest,
  type SequentialTestState,
} from './sequential-test.ts'

export interface EvidenceSet {
  readonly test: SequentialTestState
  readonly mismatches: CusumStream
  /** Once raised, an alarm stays until the code changes. */
  readonly alarm: MismatchCause | null
  /** When comparisons last raised the alarm, in Unix milliseconds. */
  readonly alarmAt: number | null
  /** Responses with a leak. */
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
