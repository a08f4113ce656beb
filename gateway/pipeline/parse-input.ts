import type * as z from 'zod'
import { ApiError, invalid } from '#contracts/errors.ts'
import type { ContractDefinition } from '#contracts/shared/contract.ts'
import { parse } from '#contracts/shared/parse.ts'

/** Parses the query with the schema of a contract; undefined if it has none. */
export const parseQuery = ({ query: schema }: ContractDefinition, query: string) => {
  if (!schema) return undefined
  if (query === '') return parse(schema, {})
  const values = new Map<string, string | string[]>()
  for (const [name, value] of new URLSearchParams(query)) {
    const earlier = values.get(name)
    values.set(name, earlier === undefined ? value : [earlier, value].flat())
  }
  return parse(schema, Object.fromEntries(values))
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses UTF-8 JSON; throws `invalid_json`. */
export const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new ApiError('invalid_json', { message: 'The request body is not valid JSON.' })
  }
}

const maxValues = 30_000

const hasTooManyValues = (json: unknown): boolean => {
  let left = maxValues
  const open: unknown[] = [json]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const values: unknown[] = Object.values(next ?? {})
    left -= values.length
    if (left < 0) return true
    for (const value of values) if (typeof value === 'object') open.push(value)
  }
  return false
}

// An empty body is parsed as {}: the contract then accepts it or reports the missing fields.
const parseJsonOrEmpty = (bytes: Uint8Array) => {
  if (bytes.length === 0) return {}
  const json = parseJson(bytes)
  // A body within its size limit can have so many validation errors that finding them would block the event loop.
  if (hasTooManyValues(json)) throw invalid('', `must not contain more than ${maxValues} values`)
  return json
}

/** Parses a body with the schema of a contract. */
export const parseBody = (schema: z.ZodType, bytes: Uint8Array): unknown =>
  parse(schema, parseJsonOrEmpty(bytes))
