import * as z from 'zod'

const kinds = z.registry<{ readonly kind: 'secret' | 'url' }>()

/** Marks a setting whose value must never be printed, not even if it is invalid. */
export const asSecret = <T extends z.ZodType>(type: T): T => {
  kinds.add(type, { kind: 'secret' })
  return type
}

/**
 * Marks a URL setting. Only its origin is printed, because the rest may be a key. A text that is not a URL may be a key
 * too, so it is not printed at all.
 */
export const asUrl = <T extends z.ZodType>(type: T): T => {
  kinds.add(type, { kind: 'url' })
  return type
}

const findKind = (type: z.core.$ZodType | undefined): 'secret' | 'url' | 'text' => {
  if (type === undefined) return 'secret'
  const registered = kinds.get(type)
  if (registered) return registered.kind
  if (type instanceof z.ZodOptional || type instanceof z.ZodNonOptional || type instanceof z.ZodDefault)
    return findKind(type.def.innerType)
  return type instanceof z.ZodPipe ? findKind(type.def.in) : 'text'
}

// A URL has credentials before an `@`, and often keys in its query.
const mayContainCredentials = (value: string) => /[@?]/.test(value)

const maxLength = 100

// JSON escapes control characters, which could forge log lines.
const quote = (value: string) =>
  value.length <= maxLength
    ? JSON.stringify(value)
    : `${JSON.stringify(value.slice(0, maxLength))}, the first ${maxLength} of ${value.length} characters`

const describeUrl = (value: string) => {
  const url = /^https?:\/\//i.test(value) ? URL.parse(value) : null
  return url && `its origin is ${quote(url.origin)}`
}

export const isSecret = (type: z.core.$ZodType) => findKind(type) === 'secret'

export const describeValue = (type: z.core.$ZodType | undefined, value: string) => {
  const kind = findKind(type)
  const shown = kind === 'url' ? describeUrl(value) : null
  if (shown !== null) return shown
  return kind === 'text' && !mayContainCredentials(value)
    ? `it is ${quote(value)}`
    : `its ${value.length === 1 ? 'character is' : `${value.length} characters are`} not shown`
}

const hidden = 'set'

const isRate = (value: object): value is { readonly count: number; readonly seconds: number } =>
  'count' in value && 'seconds' in value

/** Secrets, possible secrets and objects other than rates are only described as `set`. */
export const describeEffectiveValue = (type: z.core.$ZodType | undefined, value: unknown): unknown => {
  const kind = findKind(type)
  if (kind === 'secret') return hidden
  if (Array.isArray(value)) return value.map((item) => describeEffectiveValue(type, item))
  if (typeof value === 'string') {
    if (kind === 'url') return URL.parse(value)?.origin ?? hidden
    return mayContainCredentials(value) || value.length > maxLength ? hidden : value
  }
  if (typeof value !== 'object' || value === null) return value
  return isRate(value) ? `${value.count}/${value.seconds}` : hidden
}
