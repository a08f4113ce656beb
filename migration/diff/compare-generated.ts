import { isSame, type JsonObject } from '#shared/json.ts'
import { type DiffSchema, selectField } from './diff-schema.ts'
import { type Compare, fieldAt } from './difference-collector.ts'

/**
 * How timestamps are compared:
 *
 * - equal: they must be equal, because both sides read the same rows and nothing changes them. The exceptions are the
 *   expiry of a signed URL, and times in the next 15 minutes.
 * - live: as `equal`, except for times of the last 15 minutes, because a response may contain its own time, and clients
 *   may change rows between two requests.
 * - near: they may be minutes apart, because each side read its own rows, created by the same requests.
 * - any: only the format is compared.
 */
export type TimeComparison = 'equal' | 'live' | 'near' | 'any'

// Longer than a run of all scenarios, and shorter than any period that a client can choose.
const toleranceMs = 15 * 60_000

/** Whether both sides read the same rows, and so must return the same tokens, cursors and objects. */
export const readSameRows = (times: TimeComparison) => times === 'equal' || times === 'live'

interface ComparedTimes {
  readonly times: TimeComparison
  readonly respondedAtMs: number
  /** Whether the time may be a signed URL's expiry, which each response has anew. */
  readonly mayBeExpiry: boolean
}

/**
 * Whether two valid timestamps at the same location, in responses at `respondedAtMs`, could come from equal
 * implementations.
 */
export const mayBeSameTime = (
  native: string,
  core: string,
  { times, respondedAtMs, mayBeExpiry }: ComparedTimes,
) => {
  if (times === 'any' || native === core) return true
  const [ours, theirs] = [Date.parse(native), Date.parse(core)]
  const fixedUntilMs = times === 'live' ? respondedAtMs - toleranceMs : respondedAtMs
  // A time further ahead, such as a share link's end, was stored by a client. A nearer one may come from a clock.
  const fixedFromMs = mayBeExpiry ? Number.POSITIVE_INFINITY : respondedAtMs + toleranceMs
  const isFixed = Math.min(ours, theirs) <= fixedUntilMs || Math.max(ours, theirs) >= fixedFromMs
  return !(readSameRows(times) && isFixed) && Math.abs(ours - theirs) <= toleranceMs
}

const [createdAt, updatedAt] = ['createdAt', 'updatedAt']

const isUnchanged = (record: JsonObject) => record[createdAt] === record[updatedAt]

// Excludes malformed times, because each is reported as a difference anyway.
const hasTimes = (schema: DiffSchema | null, record: JsonObject) =>
  [createdAt, updatedAt].every((key) => {
    const field = selectField(schema, key)
    return field?.kind === 'leaf' && field.accepts(record[key])
  })

export const compareChangeTimes: Compare<JsonObject> = (found, schema, native, core, at) => {
  if (found.times !== 'near' || !hasTimes(schema, native) || !hasTimes(schema, core)) return
  if (isUnchanged(native) === isUnchanged(core)) return
  const location = fieldAt(at, updatedAt, schema)
  found.add('value', location, native[updatedAt], core[updatedAt], selectField(schema, updatedAt))
}

const listTokens = (schema: DiffSchema | null, record: JsonObject) =>
  Object.entries(record).flatMap(([key, value]) => {
    const field = selectField(schema, key)
    return typeof value === 'string' && field?.kind === 'leaf' && field.format === 'token'
      ? [[key, value] as const]
      : []
  })

const findLonger = (tokens: ReturnType<typeof listTokens>, value: string) =>
  tokens.filter(([, longer]) => longer !== value && longer.endsWith(value)).map(([key]) => key)

/**
 * Adds a difference if, on one side only, a token ends with its preview or a path ends with the token. The tokens
 * themselves are random.
 */
export const compareTokens: Compare<JsonObject> = (found, schema, native, core, at) => {
  const [ours, theirs] = [listTokens(schema, native), new Map(listTokens(schema, core))]
  for (const [key, value] of ours) {
    const other = theirs.get(key)
    if (other === undefined || value === other) continue
    if (findLonger(ours, value).join() !== findLonger([...theirs], other).join())
      found.add('value', fieldAt(at, key, schema), value, other, selectField(schema, key))
  }
}

// RFC 6266. Reads only `filename`, because `filename*` may be left out if it would give the same name.
const fileName = /\bfilename="([^"]*)"/

const readTerms = ({ searchParams }: URL) => ({
  expires: searchParams.get('X-Amz-Expires'),
  contentType: searchParams.get('response-content-type'),
  fileName: fileName.exec(searchParams.get('response-content-disposition') ?? '')?.[1] ?? null,
})

// Libraries for object stores encode different characters of a key.
const decodePath = ({ pathname }: URL) => {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return pathname
  }
}

/**
 * Whether two signed URLs for one store could come from equal implementations. Their lifetime, content type and file
 * name must be equal. If both sides read the same rows, the objects must be the same too. URLs for different stores
 * cannot be compared, so they pass.
 */
export const mayOpenSameFile = (times: TimeComparison, native: string, core: string) => {
  if (times === 'any' || !URL.canParse(native) || !URL.canParse(core)) return true
  const [ours, theirs] = [new URL(native), new URL(core)]
  if (ours.origin !== theirs.origin) return true
  const isSameObject = decodePath(ours) === decodePath(theirs)
  return isSame(readTerms(ours), readTerms(theirs)) && (times === 'near' || isSameObject)
}
