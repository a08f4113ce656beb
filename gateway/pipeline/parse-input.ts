import type * as z from 'zod'
import { ApiError, invalid } from '#contracts/errors.ts'
import type { ContractParts } from '#contracts/shared/contract.ts'
import { parse } from '#contracts/shared/parse.ts'

const parseQuery = (schema: z.ZodType, query: string) => {
  if (query === '') return parse(schema, {})
  const values = new Map<string, string | string[]>()
  for (const [name, value] of new URLSearchParams(query)) {
    const sofar = values.get(name)
    values.set(name, sofar === undefined ? value : [sofar, value].flat())
  }
  return parse(schema, Object.fromEntries(values))
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses JSON text; bytes that are no JSON are `invalid_json`. */
export const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new ApiError('invalid_json', { message: 'The request body is not valid JSON.' })
  }
}

const mostValues = 30_000

const holdsTooMuch = (json: unknown): boolean => {
  let left = mostValues
  const open: unknown[] = [json]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const values: unknown[] = Object.values(next ?? {})
    left -= values.length
    if (left < 0) return true
    for (const value of values) if (typeof value === 'object') open.push(value)
  }
  return false
}

// An empty body equals {}: it is valid where every field is optional and names the missing ones elsewhere.
const jsonOrEmpty = (bytes: Uint8Array) => {
  if (bytes.length === 0) return {}
  const json = parseJson(bytes)
  // A body within its limit can hold so many faults that finding them all keeps every other caller waiting.
  if (holdsTooMuch(json)) throw invalid('', `must not hold more than ${mostValues} values`)
  return json
}

/** The query and the body as the contract of the route wants them; what it does not ask for is not read. */
export const parseInput = async (
  contract: ContractParts,
  query: string,
  readBody: () => Promise<Uint8Array>,
) => ({
  query: contract.query && parseQuery(contract.query, query),
  body: contract.body && parse(contract.body, jsonOrEmpty(await readBody())),
})
