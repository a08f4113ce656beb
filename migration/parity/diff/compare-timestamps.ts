import { type FindingLocation, type Findings, fieldAt } from './findings.ts'
import type { JsonObject } from './json.ts'
import { selectField } from './select-shape.ts'
import type { Shape } from './shape.ts'

/**
 * How timestamps are compared:
 *
 * - equal: both sides read the same rows, which nothing changes.
 * - near: each side read rows of its own, which the same requests created minutes apart at most.
 * - any: only by their format.
 */
export type TimeComparison = 'equal' | 'near' | 'any'

// Longer than a run of all scenarios, and shorter than every period that a client can choose.
const toleranceMs = 15 * 60_000

/** Whether two valid timestamps at the same location, in responses at `respondedAtMs`, can be those of equal implementations. */
export const mayBeSameTime = (times: TimeComparison, native: string, core: string, respondedAtMs: number) => {
  if (times === 'any') return true
  if (native === core) return true
  const [ours, theirs] = [Date.parse(native), Date.parse(core)]
  // A time in the future may be the expiry of a URL, which is new in each response.
  if (times === 'equal' && Math.min(ours, theirs) <= respondedAtMs) return false
  return Math.abs(ours - theirs) <= toleranceMs
}

const [createdAt, updatedAt] = ['createdAt', 'updatedAt']

const isUnchanged = (record: JsonObject) => record[createdAt] === record[updatedAt]

// A malformed time is another difference.
const hasTimes = (shape: Shape | null, record: JsonObject) =>
  [createdAt, updatedAt].every((key) => {
    const field = selectField(shape, key)
    return field?.kind === 'leaf' && field.accepts(record[key])
  })

/** Adds a difference if one side says that a record has changed since it was created, and the other that it has not. */
export const compareChangeTimes = (
  found: Findings,
  shape: Shape | null,
  native: JsonObject,
  core: JsonObject,
  at: FindingLocation,
) => {
  if (found.times !== 'near' || !hasTimes(shape, native) || !hasTimes(shape, core)) return
  if (isUnchanged(native) === isUnchanged(core)) return
  const location = fieldAt(at, updatedAt, shape)
  found.add('value', location, native[updatedAt], core[updatedAt], selectField(shape, updatedAt))
}
