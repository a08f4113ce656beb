import { describe, expect, it } from 'vitest'
import { mergeBehaviours, selectBehaviour, updateBaseline } from '#migration/control/route-baselines.ts'
import type { StoredBaseline } from '#migration/model/stop/stored-observations.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
const measured = (p95Ms: number, timed = 1000) => ({ requests: timed, errors: 0, timed, p95Ms })

/** Returns the p95 that is used for comparison after each of these measurements (hour, code, p95). */
const expectedAfter = (measurements: readonly (readonly [number, string, number])[]) => {
  let stored: StoredBaseline | null = null
  return measurements.map(([hour, key, p95Ms]) => {
    stored = updateBaseline(stored, measured(p95Ms), key, hour * hourMs) ?? stored
    return stored && selectBehaviour(stored, hour * hourMs)?.p95Ms
  })
}

describe('a stored baseline', () => {
  it("uses the first day's measurements until the second day is over", () => {
    const days = expectedAfter([
      [0, 'a', 10],
      [23, 'a', 11],
      [24, 'a', 20],
      [47, 'a', 20],
      [48, 'a', 20],
      [72, 'a', 20],
    ])
    expect(days).toEqual([10, 11, 11, 11, 20, 20])
  })

  it("uses the previous code's measurements until the current code has served for a day", () => {
    const deploys = expectedAfter([
      [0, 'a', 10],
      [1, 'b', 500],
      [2, 'b', 500],
      [3, 'c', 700],
      [24, 'c', 700],
    ])
    expect(deploys).toEqual([10, 10, 10, 10, 10])
  })

  it("does not adopt worse code's measurements while instances with the good and the bad code report in turn", () => {
    const rolling = Array.from({ length: 10 }, (_, index) =>
      index % 2 ? ([index / 10, 'bad', 500] as const) : ([index / 10, 'good', 10] as const),
    )
    expect(new Set(expectedAfter(rolling))).toEqual(new Set([10]))
  })

  it('is unknown after two days without a measurement', () => {
    const stored = updateBaseline(null, measured(10), 'a', 0)
    expect(stored && selectBehaviour(stored, 2 * dayMs - 1)).toMatchObject({ p95Ms: 10 })
    expect(stored && selectBehaviour(stored, 2 * dayMs)).toBeNull()
  })

  it('is not taken from fewer than 200 durations', () => {
    expect(updateBaseline(null, measured(10, 199), 'a', 0)).toBeNull()
  })

  it("weights the instances' measurements by their requests", () => {
    const votes = { served: 9, rejected: { not_found: 1 } }
    expect(
      mergeBehaviours([
        { ...measured(10, 300), votes },
        { ...measured(50, 100), votes },
      ]),
    ).toEqual({
      ...measured(20, 400),
      votes: { served: 18, rejected: { not_found: 2 } },
    })
  })
})
