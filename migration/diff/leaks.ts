import { type DiffSchema, selectField } from './diff-schema.ts'
import { elementAt, fieldAt, type ResponseLocation } from './difference-collector.ts'
import { isObject } from './json.ts'

// Fields that no response may have unless its contract declares them: owners, visitors, storage locations and playback
// URLs of media, the link provider's links, and credentials.
const forbiddenName =
  /^owner_?ids?$|^storage|(storage|object|bucket)_?(uri|url|key|path)s?$|^playback_?url$|^visitor_?id$|^provider_?link|token|secret|password|hash$/i

const storageAddress = /^(s3|gs|r2|az|abfss?|wasbs?|file):\/\//i
// 43 characters are 32 bytes in base64url. Three parts separated by dots are a JSON Web Token.
const bearerToken = /^[A-Za-z0-9_-]{43,}$|^[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}$/

const isForbiddenValue = (value: unknown) =>
  typeof value === 'string' && (storageAddress.test(value) || bearerToken.test(value))

const scanDeclared = (
  locations: ResponseLocation[],
  schema: DiffSchema,
  value: unknown,
  at: ResponseLocation,
) => {
  if (schema.kind === 'array' && Array.isArray(value)) {
    if (schema.element.kind === 'leaf' && schema.element.format !== 'signed-url') return
    for (const [index, element] of value.entries())
      scan(locations, schema.element, element, elementAt(at, index))
  } else if (schema.kind === 'object' && isObject(value)) {
    for (const key of Object.keys(value)) scanField(locations, schema, key, value[key], at)
  } else if (schema.kind === 'leaf' && schema.format === 'signed-url' && typeof value === 'string') {
    // A signed URL contains a token by design, so it is a leak only if it is a storage address.
    if (storageAddress.test(value)) locations.push(at)
  }
}

const scanUndeclared = (locations: ResponseLocation[], value: unknown, at: ResponseLocation) => {
  if (isForbiddenValue(value)) locations.push(at)
  else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) scanUndeclared(locations, element, elementAt(at, index))
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) scanField(locations, null, key, value[key], at)
  }
}

const scanField = (
  locations: ResponseLocation[],
  parent: DiffSchema | null,
  key: string,
  value: unknown,
  at: ResponseLocation,
) => {
  const field = selectField(parent, key)
  if (field?.kind === 'leaf' && field.format !== 'signed-url') return
  const location = fieldAt(at, key, parent)
  if (field) scan(locations, field, value, location)
  else if (forbiddenName.test(key) && value !== null) locations.push(location)
  else scanUndeclared(locations, value, location)
}

// An invalid value matches no option of a union, so all options are tried and the one with the fewest leaks counts.
const scan = (locations: ResponseLocation[], schema: DiffSchema, value: unknown, at: ResponseLocation) => {
  if (schema.kind !== 'union') return scanDeclared(locations, schema, value, at)
  const perOption = schema.options.map((option) => findLeaks(option.schema, value, at))
  for (const location of perOption.sort((a, b) => a.length - b.length)[0] ?? []) locations.push(location)
}

/**
 * Finds where a response contains data that must never leave the service. Declared fields are trusted, except signed
 * URLs, which must not be storage addresses. Records and values of the wrong type are not scanned.
 */
export const findLeaks = (
  schema: DiffSchema | null,
  value: unknown,
  at: ResponseLocation,
): readonly ResponseLocation[] => {
  const locations: ResponseLocation[] = []
  if (schema) scan(locations, schema, value, at)
  else scanUndeclared(locations, value, at)
  return locations
}
