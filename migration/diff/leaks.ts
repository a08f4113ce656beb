import { isObject } from '#shared/json.ts'
import { type DiffSchema, selectField } from './diff-schema.ts'
import { elementAt, fieldAt, type ResponseLocation } from './difference-collector.ts'

// Fields that no response may have unless its contract declares them: owners, visitors, storage locations and playback
// URLs of media, the link provider's links, and credentials.
const forbiddenName =
  /^owner_?ids?$|^storage|(storage|object|bucket)_?(uri|url|key|path)s?$|^playback_?url$|^visitor_?id$|^provider_?link|token|secret|password|hash$/i

const storageAddress = /^(s3|gs|r2|az|abfss?|wasbs?|file):\/\//i
// 43 characters are 32 bytes in base64url. Three parts separated by dots are a JSON Web Token.
const bearerToken = /^[A-Za-z0-9_-]{43,}$|^[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}$/

const isForbiddenValue = (value: unknown) =>
  typeof value === 'string' && (storageAddress.test(value) || bearerToken.test(value))

const scanDeclared = (schema: DiffSchema, value: unknown, at: ResponseLocation): ResponseLocation[] => {
  if (schema.kind === 'array' && Array.isArray(value)) {
    if (schema.element.kind === 'leaf' && schema.element.format !== 'signed-url') return []
    return value.flatMap((element, index) => scan(schema.element, element, elementAt(at, index)))
  }
  if (schema.kind === 'object' && isObject(value))
    return Object.keys(value).flatMap((key) => scanField(schema, key, value[key], at))
  const isSignedUrl = schema.kind === 'leaf' && schema.format === 'signed-url'
  // A signed URL contains a token by design, so it is a leak only if it is a storage address.
  return isSignedUrl && typeof value === 'string' && storageAddress.test(value) ? [at] : []
}

const scanUndeclared = (value: unknown, at: ResponseLocation): ResponseLocation[] => {
  if (isForbiddenValue(value)) return [at]
  if (Array.isArray(value))
    return value.flatMap((element, index) => scanUndeclared(element, elementAt(at, index)))
  return isObject(value) ? Object.keys(value).flatMap((key) => scanField(null, key, value[key], at)) : []
}

const scanField = (
  parent: DiffSchema | null,
  key: string,
  value: unknown,
  at: ResponseLocation,
): ResponseLocation[] => {
  const field = selectField(parent, key)
  if (field?.kind === 'leaf' && field.format !== 'signed-url') return []
  const location = fieldAt(at, key, parent)
  if (field) return scan(field, value, location)
  return forbiddenName.test(key) && value !== null ? [location] : scanUndeclared(value, location)
}

// An invalid value matches no option of a union, so all options are tried and the one with the fewest leaks counts.
const scan = (schema: DiffSchema, value: unknown, at: ResponseLocation): ResponseLocation[] => {
  if (schema.kind !== 'union') return scanDeclared(schema, value, at)
  const perOption = schema.options.map((option) => scan(option.schema, value, at))
  return perOption.sort((a, b) => a.length - b.length)[0] ?? []
}

/**
 * Finds where a response contains data that must never leave the service. Declared fields are trusted, except signed
 * URLs, which must not be storage addresses. Records and values of the wrong type are not scanned.
 */
export const findLeaks = (
  schema: DiffSchema | null,
  value: unknown,
  at: ResponseLocation,
): readonly ResponseLocation[] => (schema ? scan(schema, value, at) : scanUndeclared(value, at))
