import * as z from 'zod'

const secrets = z.registry<{ readonly isSecret: true }>()

/** Marks the type of a setting whose value must never be printed, not even if it is invalid. */
export const asSecret = <T extends z.ZodType>(type: T): T => {
  secrets.add(type, { isSecret: true })
  return type
}

const isSecret = (type: z.core.$ZodType | undefined): boolean => {
  if (type === undefined || secrets.has(type)) return true
  if (type instanceof z.ZodOptional || type instanceof z.ZodNonOptional || type instanceof z.ZodDefault)
    return isSecret(type.def.innerType)
  return type instanceof z.ZodPipe && isSecret(type.def.in)
}

// Credentials of a URL are before an `@`, keys often in its query.
const mayContainCredentials = (value: string) => /[@?]/.test(value)

const maxLength = 100

// JSON escapes control characters, which could forge lines of a log.
const quote = (value: string) =>
  value.length <= maxLength
    ? JSON.stringify(value)
    : `${JSON.stringify(value.slice(0, maxLength))}, the first ${maxLength} of ${value.length} characters`

/** Describes the value of a setting for its error message: the value itself unless it is or may contain a secret. */
export const describeValue = (type: z.core.$ZodType | undefined, value: string) =>
  isSecret(type) || mayContainCredentials(value)
    ? `its ${value.length} characters are not shown`
    : `it is ${quote(value)}`
