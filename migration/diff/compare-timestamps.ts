import { type FindingLocation, type Findings, fieldAt } from './findings.ts'
import type { JsonObject } from './json.ts'
import { selectField } from './select-shape.ts'
import type { Shape } from './shape.ts'

/**
 * How timestamps are compared:
 *
 * - equal: they must be equal, because both sides read the same rows and nothing changes these.
 * - near: they may be minutes apart, because each side read its own rows, created by the same requests.
 * - any: only the format is compared.
 */
export type TimeComparison = 'equal' | 'near' | 'any'

// Longer than a run of all scenarios, and shorter than any period that a client can choose.
const toleranceMs = 15 * 60_000

/**
 * Whether two valid timestamps at the same location, in responses at `respondedAtMs`, could come from equal
 * implementations.
 */
export const mayBeSameTime = (times: TimeComparison, native: string, core: string, respondedAtMs: number) => {
  if (times === 'any') return true
  if (native === core) return true
  const [ours, theirs] = [Date.parse(native), Date.parse(core)]
  // A future time may be the expiry of a URL, which is new in each response.
  if (times === 'equal' && Math.min(ours, theirs) <= respondedAtMs) return false
  return Math.abs(ours - theirs) <= toleranceMs
}

const [createdAt, updatedAt] = ['createdAt', 'updatedAt']

const isUnchanged = (record: JsonObject) => record[createdAt] === record[updatedAt]

// Excludes malformed times, because each is already a difference by itself.
const hasTimes = (shape: Shape | null, record: JsonObject) =>
  [createdAt, updatedAt].every((key) => {
    const field = selectField(shape, key)
    return field?.kind === 'leaf' && field.accepts(record[key])
  })

/** Adds a difference if only one side says that a record changed after it was created. */
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
