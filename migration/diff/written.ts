import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { isObject, type JsonObject, typeOf } from '#shared/json.ts'
import { contractOf } from './contract-of-response.ts'
import { jsonOf, type RecordedResponse } from './recorded-response.ts'
import { createDifference, type Difference } from './verdict.ts'

export interface NativeWrite {
  readonly label: Label
  readonly params: Readonly<Record<string, string>>
  /** The JSON that the client sent; undefined if there was none. */
  readonly request: unknown
  readonly response: RecordedResponse
}

interface Contradiction {
  readonly path: string
  readonly native: string | null
  readonly core: string | null
}

const describe = (value: unknown) => (value === undefined ? null : typeOf(value))

// Counts depend on other resources, states depend on jobs, and links are signed again for each response.
const isVolatile = (name: string, value: unknown) =>
  /Count$|^status$|^processingState$/.test(name) || JSON.stringify(value ?? null).includes('"http')

const agrees = (expected: unknown, actual: unknown): boolean => {
  if (Array.isArray(expected))
    return (
      Array.isArray(actual) &&
      expected.length === actual.length &&
      expected.every((element, index) => agrees(element, actual[index]))
    )
  // An empty text may be stored as null.
  if (!isObject(expected) || !isObject(actual))
    return expected === actual || (expected === '' && actual === null)
  return Object.keys(expected).every(
    (key) => !Object.hasOwn(actual, key) || agrees(expected[key], actual[key]),
  )
}

// Returns the request as the contract parses it: trimmed and with defaults.
const fieldsOfRequest = ({ label, request }: NativeWrite): JsonObject => {
  const parsed = contractOf(label).body?.safeParse(request)
  return parsed?.success && isObject(parsed.data) ? parsed.data : {}
}

const fieldsOfResponse = ({ response }: NativeWrite): JsonObject => {
  const body = jsonOf(response)
  return isObject(body) ? body : {}
}

const idOf = (write: NativeWrite): unknown => fieldsOfResponse(write).id ?? Object.values(write.params).at(-1)

const isRevoked = (resource: JsonObject) =>
  Object.values(resource).includes('revoked') || typeof resource.revokedAt === 'string'

/**
 * Finds the resource in a read's body. Returns null if it is missing, and undefined if the body cannot show whether it
 * is.
 */
const findResource = (
  body: unknown,
  id: unknown,
): { path: string; resource: JsonObject | null | undefined } => {
  if (!isObject(body)) return { path: 'body', resource: undefined }
  const { records, nextCursor = null } = body
  if (!Array.isArray(records))
    return { path: 'body', resource: body.id === undefined || body.id === id ? body : undefined }
  const resource = records.find((record) => isObject(record) && record.id === id)
  const isWhole =
    nextCursor === null && records.every((record) => isObject(record) && record.id !== undefined)
  return { path: 'body.records', resource: isObject(resource) ? resource : isWhole ? null : undefined }
}

const hasSamePath = ({ label }: NativeWrite, read: Label) => rowOf(read).path === rowOf(label).path

const findRemaining = (write: NativeWrite, read: Label, core: RecordedResponse): Contradiction[] => {
  const remaining = (path: string) => [{ path, native: 'removed', core: 'still there' }]
  if (hasSamePath(write, read)) return core.status === 404 ? [] : remaining('status')
  const { path, resource } = findResource(jsonOf(core), idOf(write))
  const isInList = path !== 'body' && resource && !isRevoked(resource)
  return isInList ? remaining(path) : []
}

const hasChangedSince = (write: NativeWrite, { updatedAt }: JsonObject) => {
  const writtenAt = fieldsOfResponse(write).updatedAt
  return typeof updatedAt === 'string' && typeof writtenAt === 'string' && updatedAt > writtenAt
}

const findContradictions = (write: NativeWrite, read: Label, core: RecordedResponse): Contradiction[] => {
  // Only a created resource must be found, because someone who changes another owner's resource might not see it in
  // every list.
  const isCreated = write.response.status === 201
  const missing = (path: string) => [{ path, native: 'written', core: 'missing' }]
  if (core.status === 404) return isCreated || hasSamePath(write, read) ? missing('status') : []
  const { path, resource } = findResource(jsonOf(core), idOf(write))
  if (resource === undefined) return []
  if (resource === null) return isCreated ? missing(path) : []
  if (hasChangedSince(write, resource)) return []
  const prefix = path === 'body' ? path : `${path}.*`
  const contradictions = new Map<string, Contradiction>()
  for (const fields of [fieldsOfRequest(write), fieldsOfResponse(write)])
    for (const [name, value] of Object.entries(fields)) {
      const actual = resource[name]
      if (value === undefined || !Object.hasOwn(resource, name) || isVolatile(name, value)) continue
      if (!agrees(value, actual))
        contradictions.set(name, {
          path: `${prefix}.${name}`,
          native: describe(value),
          core: describe(actual),
        })
    }
  return [...contradictions.values()]
}

/**
 * Finds where the core's read contradicts an earlier native write: a field with a different value, a missing resource,
 * or a removed one that is still there. Examples describe values without containing them.
 */
export const findUnwritten = (
  write: NativeWrite,
  read: Label,
  core: RecordedResponse,
): readonly Difference[] => {
  if (core.status !== 200 && core.status !== 404) return []
  const isRemoval = rowOf(write.label).method === 'DELETE'
  const found = isRemoval ? findRemaining(write, read, core) : findContradictions(write, read, core)
  return found.map((contradiction) =>
    createDifference(read, { ...contradiction, kind: 'effect', class: 'regression', blame: 'native' }),
  )
}
