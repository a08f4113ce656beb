import { type CusumStream, createCusumStream } from '../stop/cusum.ts'
import {
  type ComparedResponses,
  createMismatchParameters,
  type MismatchCause,
  observeComparisons,
} from './mismatch-stop.ts'
import {
  addComparisons,
  createSequentialTestState,
  type SequentialTest,
  type SequentialTestState,
} from './sequential-test.ts'

/** What all comparisons of one code of a route have led to. */
export interface EvidenceSet {
  readonly test: SequentialTestState
  readonly mismatches: CusumStream
  /** It remains: only changed code starts over. */
  readonly alarm: MismatchCause | null
  /** When comparisons last raised it, in milliseconds since the epoch of Unix. */
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
 * Adds comparisons to the test and to the stream of regressions. A test that fails raises an alarm, once: with the next
 * comparison if an older version of the code has stored the failure without one. The stream raises one with each further
 * regression while it is above its threshold.
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
