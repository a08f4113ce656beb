import type * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'
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

// An empty body equals {}: it is valid where every field is optional and names the missing ones elsewhere.
const jsonOrEmpty = (bytes: Uint8Array) => (bytes.length === 0 ? {} : parseJson(bytes))

/** The query and the body as the contract of the route wants them; what it does not ask for is not read. */
export const parseInput = async (
  contract: ContractParts,
  query: string,
  readBody: () => Promise<Uint8Array>,
) => ({
  query: contract.query && parseQuery(contract.query, query),
  body: contract.body && parse(contract.body, jsonOrEmpty(await readBody())),
})
