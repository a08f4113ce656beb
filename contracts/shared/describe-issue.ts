import type * as z from 'zod'

type RawIssue = z.core.$ZodRawIssue

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  bigint: 'an integer',
  boolean: 'true or false',
  date: 'a date',
  int: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
}

const formats: Readonly<Record<string, string>> = {
  date: 'a date in the form YYYY-MM-DD',
  datetime: 'an RFC 3339 timestamp with an offset',
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
}

const units: Readonly<Record<string, string>> = { array: ' items', set: ' items', string: ' characters' }

const describeBound = (origin: string, bound: number | bigint, limit: 'least' | 'most', inclusive = true) => {
  const unit = units[origin]
  if (unit === undefined) {
    const comparison = limit === 'least' ? 'greater than' : 'less than'
    return inclusive ? `must be at ${limit} ${bound}` : `must be ${comparison} ${bound}`
  }
  return limit === 'least' && bound === 1 ? 'must not be empty' : `must have at ${limit} ${bound}${unit}`
}

const describeValues = (values: readonly unknown[]) =>
  values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.map(String).join(', ')}`

/**
 * Describes an issue as a predicate of its field (`must be a string`), without exposing our patterns or type names. A
 * message that the schema itself sets takes precedence.
 */
export const describeIssue = (issue: RawIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required'
      return `must be ${kinds[issue.expected] ?? 'of another type'}`
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : describeValues(issue.values)
    case 'invalid_format':
      return `must be ${formats[issue.format] ?? 'written in the documented format'}`
    case 'too_small':
      return describeBound(issue.origin, issue.minimum, 'least', issue.inclusive)
    case 'too_big':
      return describeBound(issue.origin, issue.maximum, 'most', issue.inclusive)
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return 'is not a known field'
    default:
      return 'matches none of the documented forms'
  }
}
