import { describe, expect, it } from 'vitest'
import { addComparisonSums, noComparisonSums } from '#migration/model/gate/comparison-sums.ts'
import { createEvidenceSet, extendEvidenceSet } from '#migration/model/gate/evidence-set.ts'
import { sequentialTest } from '#migration/model/gate/sequential-test.ts'
import { accountsOf } from './gate-inputs.ts'

const extend = (set = createEvidenceSet(), comparisons = 0, regressions = 0, critical = 0, now = 1) =>
  extendEvidenceSet(set, { comparisons, regressions, critical }, sequentialTest, now)

describe('an evidence set', () => {
  it('adds comparisons to the test without changing the previous set', () => {
    const before = createEvidenceSet()
    expect(extend(before, 100, 1)).toMatchObject({
      test: { comparisons: 100, regressions: 1 },
      alarm: null,
    })
    expect(before).toEqual(createEvidenceSet())
  })

  it('keeps an alarm and its time until another regression raises it again', () => {
    const alarmed = extend(createEvidenceSet(), 10, 10)
    expect(alarmed).toMatchObject({ alarm: 'mismatches', alarmAt: 1 })
    const clean = extend(alarmed, 10, 0, 0, 2)
    expect(clean).toMatchObject({ alarm: 'mismatches', alarmAt: 1 })
    expect(extend(clean, 1, 1, 0, 3)).toMatchObject({ alarm: 'mismatches', alarmAt: 3 })
    // When the stream is far below its threshold, one regression raises no alarm.
    const decayed = extend(clean, 100_000, 0, 0, 4)
    expect(extend(decayed, 1, 1, 0, 5)).toMatchObject({ alarm: 'mismatches', alarmAt: 1 })
  })

  it('raises an alarm when the test fails, and only then', () => {
    // Two regressions within a few comparisons fail the test, although the stream is far below its threshold.
    const one = extend(createEvidenceSet(), 100, 1)
    expect(one).toMatchObject({ test: { hasFailed: false }, alarm: null })
    const failed = extend(one, 10, 1, 0, 2)
    expect(failed).toMatchObject({ test: { hasFailed: true }, alarm: 'mismatches', alarmAt: 2 })
    expect(extend(failed, 10, 1, 0, 3)).toMatchObject({ alarm: 'mismatches', alarmAt: 2 })
  })

  it('raises an alarm with the next comparison if the test failed without an alarm', () => {
    const failed = { ...extend(createEvidenceSet(), 110, 2), alarm: null, alarmAt: null }
    expect(failed.test.hasFailed).toBe(true)
    const next = extend(failed, 1, 0, 0, 7)
    expect(next).toMatchObject({ alarm: 'mismatches', alarmAt: 7 })
    expect(extend(next, 1, 0, 0, 8)).toMatchObject({ alarm: 'mismatches', alarmAt: 7 })
  })

  it('raises an alarm again when the test fails, because a person may have moved the route since the first alarm', () => {
    const alarmed = { ...createEvidenceSet(), alarm: 'mismatches', alarmAt: 1 } as const
    expect(extend(alarmed, 110, 2, 0, 9)).toMatchObject({ alarm: 'mismatches', alarmAt: 9 })
  })

  it('remembers a leak, whatever follows', () => {
    const leaked = extend(createEvidenceSet(), 0, 0, 1)
    expect(leaked).toMatchObject({ alarm: 'critical', critical: 1 })
    expect(extend(leaked, 20, 20, 0, 2)).toMatchObject({ alarm: 'critical', alarmAt: 2, critical: 1 })
  })
})

describe('sums of comparisons', () => {
  it('add up the statuses, and count each account only once', () => {
    const days = [
      {
        ...noComparisonSums,
        comparisons: 2,
        drops: 1,
        statuses: { 200: 1, 404: 1 },
        accounts: accountsOf(3),
      },
      { ...noComparisonSums, comparisons: 3, copies: 4, statuses: { 200: 3 }, accounts: accountsOf(5) },
    ]
    expect(addComparisonSums(days)).toEqual({
      ...noComparisonSums,
      comparisons: 5,
      drops: 1,
      copies: 4,
      statuses: { 200: 4, 404: 1 },
      accounts: accountsOf(5),
    })
  })
})
