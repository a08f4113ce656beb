import type { DiffSchema } from './diff-schema.ts'
import { type DifferenceCollector, fieldAt, type ResponseLocation } from './difference-collector.ts'
import type { JsonObject } from './json.ts'
import { selectField } from './select-schema.ts'

/**
 * How timestamps are compared:
 *
 * - equal: they must be equal, because both sides read the same rows and nothing changes them.
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
  // A future time may be a URL's expiry, and each response has a new URL.
  if (times === 'equal' && Math.min(ours, theirs) <= respondedAtMs) return false
  return Math.abs(ours - theirs) <= toleranceMs
}

const [createdAt, updatedAt] = ['createdAt', 'updatedAt']

const isUnchanged = (record: JsonObject) => record[createdAt] === record[updatedAt]

// Excludes malformed times, because each is reported as a difference anyway.
const hasTimes = (schema: DiffSchema | null, record: JsonObject) =>
  [createdAt, updatedAt].every((key) => {
    const field = selectField(schema, key)
    return field?.kind === 'leaf' && field.accepts(record[key])
  })

/** Adds a difference if only one side says that a record changed after it was created. */
export const compareChangeTimes = (
  found: DifferenceCollector,
  schema: DiffSchema | null,
  native: JsonObject,
  core: JsonObject,
  at: ResponseLocation,
) => {
  if (found.times !== 'near' || !hasTimes(schema, native) || !hasTimes(schema, core)) return
  if (isUnchanged(native) === isUnchanged(core)) return
  const location = fieldAt(at, updatedAt, schema)
  found.add('value', location, native[updatedAt], core[updatedAt], selectField(schema, updatedAt))
}
