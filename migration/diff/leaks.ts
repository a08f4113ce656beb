import { elementAt, type FindingLocation, fieldAt } from './findings.ts'
import { isObject } from './json.ts'
import type { Shape } from './shape.ts'

// Owners, storage locations of media, and credentials.
const forbiddenName =
  /^owner_?ids?$|^storage|(storage|object|bucket)_?(uri|url|key|path)s?$|^playback_?url$|^visitor_?id$|^provider_?link|token|secret|password|hash$/i

const storageAddress = /^(s3|gs|r2|az|abfss?|wasbs?|file):\/\//i
const bearerToken = /^[A-Za-z0-9_-]{43,}$|^[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}$/

const isSecret = (value: unknown) =>
  typeof value === 'string' && (storageAddress.test(value) || bearerToken.test(value))

const scanDeclared = (places: FindingLocation[], shape: Shape, value: unknown, at: FindingLocation) => {
  if (shape.kind === 'array' && Array.isArray(value)) {
    if (shape.element.kind === 'leaf' && shape.element.format !== 'signed-url') return
    for (const [index, element] of value.entries()) scan(places, shape.element, element, elementAt(at, index))
  } else if (shape.kind === 'object' && isObject(value)) {
    for (const key of Object.keys(value))
      scanField(places, shape.fields.get(key) ?? null, key, value[key], at)
  } else if (shape.kind === 'leaf' && shape.format === 'signed-url' && typeof value === 'string') {
    if (storageAddress.test(value)) places.push(at)
  }
}

const scanUndeclared = (places: FindingLocation[], value: unknown, at: FindingLocation) => {
  if (isSecret(value)) places.push(at)
  else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) scanUndeclared(places, element, elementAt(at, index))
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) scanField(places, null, key, value[key], at)
  }
}

const scanField = (
  places: FindingLocation[],
  field: Shape | null,
  key: string,
  value: unknown,
  at: FindingLocation,
) => {
  if (field?.kind === 'leaf' && field.format !== 'signed-url') return
  const place = fieldAt(at, key, field !== null)
  if (field) scan(places, field, value, place)
  else if (forbiddenName.test(key) && value !== null) places.push(place)
  else scanUndeclared(places, value, place)
}

// An invalid value matches no option of a union, so the option with the fewest leaks is taken.
const scan = (places: FindingLocation[], shape: Shape, value: unknown, at: FindingLocation) => {
  if (shape.kind !== 'union') return scanDeclared(places, shape, value, at)
  const perOption = shape.options.map((option) => findLeaks(option.shape, value, at))
  places.push(...(perOption.sort((a, b) => a.length - b.length)[0] ?? []))
}

/** The places at which a response contains data that must never leave the service. */
export const findLeaks = (
  shape: Shape | null,
  value: unknown,
  at: FindingLocation,
): readonly FindingLocation[] => {
  const places: FindingLocation[] = []
  if (shape) scan(places, shape, value, at)
  else scanUndeclared(places, value, at)
  return places
}
