import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { isObject } from '../../diff/json.ts'
import type { RecordedRequest } from '../report/parity-run.ts'
import type { ScenarioRequest } from './scenario.ts'
import { listQueryPairs } from './side.ts'

const secretName = /token|secret|password|code|hash|signature|cursor|etag|email/i
const idName = /^(?!plan)\w*ids?$/i
const maxText = 200

// Replaces values that are unique to a run, and values that could identify a person or grant access.
const replacements: readonly (readonly [RegExp, string])[] = [
  [/[^\s"'<>@]+@[^\s"'<>@]+\.[^\s"'<>@]+/g, '<e-mail>'],
  [/\bhttps?:\/\/[^\s"'<>]+/g, '<URL>'],
  [/[0-9a-f]{8}[nc][0-9a-f]{8}/g, '<unique>'],
  [/[\w-]{20,}(\.[\w-]{8,})*/g, '<value>'],
]

const maskText = (name: string, text: string) => {
  if (text === '') return ''
  if (secretName.test(name) || idName.test(name)) return `<${name}>`
  const masked = replacements.reduce((result, [pattern, word]) => result.replaceAll(pattern, word), text)
  return masked.length > maxText ? `<text of ${text.length} characters>` : masked
}

const maskInput = (name: string, value: unknown): unknown => {
  if (typeof value === 'string') return maskText(name, value)
  if (Array.isArray(value)) return value.slice(0, 5).map((element) => maskInput(name, element))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [maskText('', key), maskInput(key, field)]),
  )
}

const maskQuery = (request: ScenarioRequest) => {
  const parts = listQueryPairs(request).map(
    ([name, value]) => `${name}=${maskText(name, value).replaceAll(/\s/g, encodeURIComponent)}`,
  )
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

const shownHeaders = new Set([
  'content-type',
  'accept',
  'accept-language',
  'accept-encoding',
  'range',
  'origin',
])

const maskHeaders = ({ as, body, text, headers = {} }: ScenarioRequest) => ({
  ...(as === undefined ? {} : { authorization: 'Bearer <token>' }),
  ...(body === undefined && text === undefined ? {} : { 'content-type': 'application/json' }),
  ...Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      shownHeaders.has(name.toLowerCase()) ? maskText('', value) : `<${name.toLowerCase()}>`,
    ]),
  ),
})

const maskRequestBody = ({ body, text }: ScenarioRequest) => {
  if (text !== undefined) return maskText('', text)
  return body === undefined ? null : JSON.stringify(maskInput('', body))
}

/**
 * Masks a request so that a report may show all of it. Path parameters are replaced by their names in the route table;
 * ids, addresses, tokens and codes by the name of their kind.
 */
export const maskRequest = (label: Label, request: ScenarioRequest): RecordedRequest => {
  const { method, path } = rowOf(label)
  return {
    method,
    path: path + maskQuery(request),
    headers: maskHeaders(request),
    body: maskRequestBody(request),
  }
}
