import type * as z from 'zod'
import { ApiError, invalid } from '#contracts/errors.ts'
import type { ContractDefinition } from '#contracts/shared/contract.ts'
import { parse } from '#contracts/shared/parse.ts'
import type { Visit } from '#native-routes/visits.ts'
import { clientNetworkOf } from '#proxy/headers/client-origin.ts'
import type { RequestContext } from '../request/context.ts'

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

// An empty body counts as {}, so the contract accepts it or reports the missing fields.
const parseJsonOrEmpty = (bytes: Uint8Array) => {
  if (bytes.length === 0) return {}
  const json = parseJson(bytes)
  // A body within its size limit can still have so many validation errors that listing them would block the event
  // loop.
  if (hasTooManyValues(json)) throw invalid('', `must not contain more than ${maxValues} values`)
  return json
}

export const parseBody = (schema: z.ZodType, bytes: Uint8Array): unknown =>
  parse(schema, parseJsonOrEmpty(bytes))

/** Computed on demand, because few routes need the values. If there are several access codes, the first counts. */
export const readVisit = (request: Pick<RequestContext, 'clientAddress' | 'query'>): Visit => ({
  client: () => clientNetworkOf(request.clientAddress()),
  accessCode: () => new URLSearchParams(request.query).get('accessCode') || undefined,
})

const clickId = /^[A-Za-z0-9_-]{1,128}$/
const clickCookie = /(?:^|;\s*)link_click_id=([^;]*)/

export const readLinkClickId = (request: Pick<RequestContext, 'header'>) => {
  const id = request.header('x-link-click-id') ?? clickCookie.exec(request.header('cookie') ?? '')?.[1]
  return id !== undefined && clickId.test(id) ? id : null
}
