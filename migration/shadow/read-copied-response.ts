import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { GatewayResponse } from '#gateway/request/response.ts'
import { type RecordedResponse, readBody } from '../diff/recorded-response.ts'
import type { CopiedResponse } from './comparison-tasks.ts'

export const unreadableReasons = ['body_too_long', 'body_encoding'] as const
type UnreadableReason = (typeof unreadableReasons)[number]

export const copyNative = ({ status, headers, body = '' }: GatewayResponse): CopiedResponse => ({
  status,
  // Every response that the gateway sends has this header.
  headers: Object.entries({ ...headers, 'cache-control': 'no-store' }).flat(),
  body: typeof body === 'string' ? Buffer.from(body) : Buffer.concat(body),
})

const maxBodyBytes = 1024 * 1024

// Comparing more values could exceed a task's time limit. A compressed body can hold hundreds of thousands of empty
// objects, each missing ten required fields.
const maxValues = 100_000
const maxContainers = 10_000

type Decode = (body: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array

const decoders: Readonly<Record<string, Decode>> = {
  identity: (body) => body,
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

const isTooLong = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'

// Decodes in reverse, because encodings are listed in the order they were applied.
const decodeBody = (body: Uint8Array, encoding: string): Uint8Array | UnreadableReason => {
  let decoded = body
  try {
    for (const name of encoding.toLowerCase().split(',').reverse()) {
      const decode = decoders[name.trim() || 'identity']
      if (!decode) return 'body_encoding'
      // An empty body is not encoded, even if its header says so.
      if (decoded.length > 0) decoded = decode(decoded, { maxOutputLength: maxBodyBytes })
    }
  } catch (error) {
    return isTooLong(error) ? 'body_too_long' : 'body_encoding'
  }
  return decoded.length > maxBodyBytes ? 'body_too_long' : decoded
}

const readHeaders = (pairs: readonly string[]) => {
  const headers: Record<string, string> = {}
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const name = (pairs[index] ?? '').toLowerCase()
    const value = pairs[index + 1] ?? ''
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value
  }
  return headers
}

const hasTooManyValues = (root: unknown) => {
  const values = [root]
  let containers = 0
  // The loop also visits the values that it adds.
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue
    containers += 1
    for (const inner of Object.values(value)) values.push(inner)
    if (values.length > maxValues || containers > maxContainers) return true
  }
  return false
}

const decoder = new TextDecoder()

/** Decodes a response of at most 1 MiB, 100,000 values and 10,000 objects and lists, or returns why it cannot. */
export const readCopiedResponse = ({
  status,
  headers: pairs,
  body,
}: CopiedResponse): RecordedResponse | UnreadableReason => {
  const headers = readHeaders(pairs)
  const decoded = decodeBody(body, headers['content-encoding'] ?? 'identity')
  if (typeof decoded === 'string') return decoded
  const read = readBody(decoder.decode(decoded))
  return read.kind === 'json' && hasTooManyValues(read.value)
    ? 'body_too_long'
    : { status, headers, body: read }
}
