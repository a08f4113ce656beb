import type * as z from 'zod'
import { ApiError, invalid } from '#contracts/errors.ts'
import type { ContractDefinition } from '#contracts/shared/contract.ts'
import { parse } from '#contracts/shared/parse.ts'

const parseQuery = (schema: z.ZodType, query: string) => {
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

/** Parses the query and the body with the contract's schemas. Without a body schema the body is not read. */
export const parseInput = async (
  contract: ContractDefinition,
  query: string,
  readBody: () => Promise<Uint8Array>,
) => ({
  query: contract.query && parseQuery(contract.query, query),
  body: contract.body && parse(contract.body, parseJsonOrEmpty(await readBody())),
})
