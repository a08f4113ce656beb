import type * as z from 'zod'
import type { HeaderSource } from '#contracts/shared/contract.ts'
import type { NativeRoute, StatusResult } from '#native-routes/define-route.ts'
import { encodeLocation } from '#shared/encode-location.ts'
import { isLong, mapInSlices } from '#shared/map-in-slices.ts'
import type { RouteParams } from '../request/context.ts'
import {
  type BodyChunk,
  emptyResponse,
  type GatewayResponse,
  jsonHeaders,
  jsonResponse,
} from '../request/response.ts'

/** A handler returned something its contract does not allow. This is a bug, and the result never reaches a client. */
class ResponseMismatch extends Error {
  override name = 'ResponseMismatch'
}

type RouteContract = NativeRoute['contract']

const isStatusResult = (result: unknown): result is StatusResult =>
  typeof result === 'object' && result !== null && 'status' in result && 'body' in result

// The keys of `responses` have no reliable order, so if there are several, the handler names the status.
const readStatusAndBody = ({ label, responses }: RouteContract, result: unknown): StatusResult => {
  const statuses = Object.keys(responses).map(Number)
  const [only] = statuses
  if (statuses.length === 1 && only !== undefined) return { status: only, body: result }
  if (isStatusResult(result) && statuses.includes(result.status)) return result
  throw new ResponseMismatch(`${label}: the contract does not declare the result's status`)
}

/** Removes every field the schema does not name. Throws if the body does not match. */
export const redact = (
  { label }: RouteContract,
  status: number,
  schema: z.ZodType,
  body: unknown,
): unknown => {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const paths = parsed.error.issues.map(({ path, code }) => `${path.join('.')} (${code})`)
  throw new ResponseMismatch(`${label} ${status}: ${paths.join(', ')}`)
}

// The path parameters and body do match the contract, but the type of the whole registry cannot express that.
const asHeaderSource = (source: HeaderSource<RouteParams, unknown>) => source as never

const noHeaders = {}

export const computeHeaders = (
  { headers }: RouteContract,
  status: number,
  params: RouteParams,
  body: unknown,
  publicBaseUrl: string,
): Readonly<Record<string, string>> => {
  const declared = headers?.[status]
  if (!declared) return noHeaders
  const source = asHeaderSource({ params, body })
  const values = Object.entries(declared).map(([name, compute]) => [name, compute(source)] as const)
  return Object.fromEntries(
    values.map(([name, value]) => [
      name,
      name === 'location' ? encodeLocation(publicBaseUrl + value) : value,
    ]),
  )
}

export const computeErrorHeaders = (
  { errorHeaders = noHeaders }: RouteContract,
  params: RouteParams,
  body: unknown,
): Readonly<Record<string, string>> => {
  const source = asHeaderSource({ params, body })
  return Object.fromEntries(
    Object.entries(errorHeaders).flatMap(([name, compute]) => {
      const value = compute(source)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

type Fields = Readonly<Record<string, unknown>>

const recordsPerChunk = 100
const scalarsPerChunk = 5000

const isLongList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && isLong(value)

const hasLongList = (body: unknown): body is Fields => {
  if (typeof body === 'object' && body !== null)
    for (const value of Object.values(body)) if (isLongList(value)) return true
  return false
}

const splitIntoChunks = (items: readonly unknown[]) => {
  const size = typeof items[0] === 'object' ? recordsPerChunk : scalarsPerChunk
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

const encoder = new TextEncoder()

// the array's elements without the brackets
const encodeElements = (elements: unknown, isFirst: boolean) =>
  encoder.encode((isFirst ? '' : ',') + JSON.stringify(elements).slice(1, -1))

/** Each slice is parsed as if it were the whole list, together with the other fields. */
const encodeInSlices = async (body: Fields, redact: (body: unknown) => unknown): Promise<BodyChunk[]> => {
  const lists = Object.entries(body).filter((field): field is [string, readonly unknown[]] =>
    isLongList(field[1]),
  )
  const rest = { ...body, ...Object.fromEntries(lists.map(([name]) => [name, []])) }
  const redactField = (name: string, part: readonly unknown[]) =>
    (redact({ ...rest, [name]: part }) as Fields)[name]

  const chunks: BodyChunk[] = []
  let separator = '{'
  for (const [name, value] of Object.entries(redact(rest) as Fields)) {
    if (value === undefined) continue
    const list = lists.find(([listName]) => listName === name)?.[1]
    const start = `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (!list) {
      chunks.push(encoder.encode(start + JSON.stringify(value)))
      continue
    }
    let isFirst = true
    const encoded = await mapInSlices(splitIntoChunks(list), (part) => {
      const elements = encodeElements(redactField(name, part), isFirst)
      isFirst = false
      return elements
    })
    chunks.push(encoder.encode(`${start}[`), ...encoded, encoder.encode(']'))
  }
  chunks.push(encoder.encode('}'))
  return chunks
}

/** Returns a promise only for a long list, because encoding it at once would block other requests. */
export const redactResponse = (
  contract: RouteContract,
  result: unknown,
  params: RouteParams,
  publicBaseUrl: string,
): GatewayResponse | Promise<GatewayResponse> => {
  const { status, body } = readStatusAndBody(contract, result)
  const schema = contract.responses[status]
  if (!schema) return emptyResponse(status, computeHeaders(contract, status, params, body, publicBaseUrl))
  if (!hasLongList(body)) {
    const redacted = redact(contract, status, schema, body)
    return jsonResponse(status, redacted, computeHeaders(contract, status, params, body, publicBaseUrl))
  }
  const encoded = encodeInSlices(body, (part) => redact(contract, status, schema, part))
  return encoded.then((chunks) => ({
    status,
    headers: { ...jsonHeaders, ...computeHeaders(contract, status, params, body, publicBaseUrl) },
    body: chunks,
  }))
}
