import { posix } from 'node:path'
import type { RawCore } from '#test/support/raw-core.ts'

/** The requests on one connection, parsed as strictly as RFC 9112 allows. `rest` is an incomplete request. */
interface Stream {
  readonly requests: readonly string[]
  readonly rest: Buffer
}

interface Head {
  readonly method: string
  readonly target: string
  readonly length: number | 'chunked'
}

const requestLine = /^([A-Z-]+) (\/[!-~]*) HTTP\/1\.1$/
const headerLine = /^([!#$%&'*+.^`|~0-9A-Za-z-]+): ([\t\x20-\x7e\x80-\xff]*)$/

const once = ['host', 'via', 'x-forwarded-for', 'x-forwarded-proto', 'x-request-id']
const atMostOnce = [
  'content-length',
  'transfer-encoding',
  'x-forwarded-host',
  'authorization',
  'content-type',
]
const never =
  /^(?:keep-alive|proxy-.*|te|trailer|upgrade|http2-settings|expect|x-service-.*|x-original-url|x-rewrite-url)$/

const decodeFully = (path: string): string => {
  const decoded = path.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return decoded === path ? path : decodeFully(decoded)
}

/** Whether any server could interpret this target as one that only the gateway serves. */
export const isNativeOnlyTarget = (target: string) => {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)
  const text = Buffer.from(decodeFully(path), 'latin1').toString().normalize('NFKC').toLowerCase()
  const segments = text.split(/[/\\]/).map((segment) => segment.split(';', 1)[0]?.trim() ?? '')
  return /^\/v1\/(?:analytics|(?:catalog-analysis|webhooks|internal|media-intelligence\/callback)(?:\/|$))/.test(
    posix.normalize(segments.join('/')),
  )
}

const fail = (what: string, text: string): never => {
  throw new Error(`the core received ${what}: ${JSON.stringify(text)}`)
}

const readHead = (text: string): Head => {
  const [start = '', ...lines] = text.split('\r\n')
  const [, method = '', target = ''] = requestLine.exec(start) ?? fail('a malformed request line', start)
  if (target.includes('#') || target.startsWith('//')) fail('an ambiguous target', target)
  if (isNativeOnlyTarget(target)) fail('a target that is never forwarded', target)
  const headers = lines.map((line) => {
    const [, name = '', value = ''] = headerLine.exec(line) ?? fail('a malformed header', line)
    return [name.toLowerCase(), value.trim()] as const
  })
  const valuesOf = (name: string) => headers.flatMap(([found, value]) => (found === name ? [value] : []))
  for (const name of once) if (valuesOf(name).length !== 1) fail(`${name} not once`, text)
  for (const name of atMostOnce) if (valuesOf(name).length > 1) fail(`${name} twice`, text)
  for (const [name] of headers) if (never.test(name)) fail('a header of another hop', name)
  if (!/^keep-alive$|^close$/.test(valuesOf('connection').join())) fail('connection options', text)
  const [length] = valuesOf('content-length')
  const [coding] = valuesOf('transfer-encoding')
  if (length !== undefined && coding !== undefined) fail('two framings', text)
  if (coding !== undefined)
    return { method, target, length: coding === 'chunked' ? coding : fail('a coding', coding) }
  if (!/^(?:0|[1-9]\d*)$/.test(length ?? '0')) fail('a length', text)
  return { method, target, length: Number(length ?? 0) }
}

const chunksIn = (bytes: Buffer) => {
  const parts: Buffer[] = []
  for (let offset = 0; ; ) {
    const end = bytes.indexOf('\r\n', offset)
    if (end === -1) return null
    const line = bytes.toString('latin1', offset, end)
    if (!/^[0-9a-f]+$/i.test(line)) fail('a malformed chunk size', line)
    const size = Number.parseInt(line, 16)
    const next = end + 2 + size + 2
    if (bytes.length < next) return null
    if (bytes.toString('latin1', next - 2, next) !== '\r\n') fail('a chunk without its end', line)
    if (size === 0) return { body: Buffer.concat(parts), end: next }
    parts.push(bytes.subarray(end + 2, next - 2))
    offset = next
  }
}

const bodyIn = (bytes: Buffer, length: Head['length']) => {
  if (length === 'chunked') return chunksIn(bytes)
  return bytes.length < length ? null : { body: bytes.subarray(0, length), end: length }
}

const readStream = (bytes: Buffer): Stream => {
  const requests: string[] = []
  for (let rest = bytes; ; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return { requests, rest }
    const { method, target, length } = readHead(rest.toString('latin1', 0, end))
    const found = bodyIn(rest.subarray(end + 4), length)
    if (!found) return { requests, rest }
    requests.push([method, target, found.body.toString('latin1')].filter(Boolean).join(' '))
    rest = rest.subarray(end + 4 + found.end)
  }
}

/**
 * Parses what a core receives with a strict parser, which also finds requests that the core's parser would overlook.
 */
export const recordCore = (core: RawCore) => {
  const read: number[] = []
  return {
    /**
     * The requests since the last call, as `METHOD target body`; an incomplete request is `cut off`.
     * @throws Error on bytes that are not a valid request.
     */
    takeNew: (): string[] =>
      core.received.flatMap((bytes, connection) => {
        const fresh = bytes.subarray(read[connection] ?? 0)
        read[connection] = bytes.length
        const { requests, rest } = readStream(fresh)
        return rest.length > 0 ? [...requests, 'cut off'] : requests
      }),
  }
}
