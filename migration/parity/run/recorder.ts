import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { isObject } from '#shared/json.ts'
import { harmlessHeader } from '../../diff/compare-headers.ts'
import { contractOf, selectDiffSchema } from '../../diff/contract-of-response.ts'
import { type Mask, maskBody } from '../../diff/mask.ts'
import { isResponse, type Observation, type RecordedResponse } from '../../diff/recorded-response.ts'
import { urlPatternOf } from '../../diff/url-pattern.ts'
import { listUnseenShapes, queryShapesOf, responseShapesOf } from '../../model/gate/response-shapes.ts'
import type { RecordedRequest, Recording } from '../report/parity-run.ts'
import type { Pair } from './pairs.ts'
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

const unmaskedHeaders = new Set([
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
      unmaskedHeaders.has(name.toLowerCase()) ? maskText('', value) : `<${name.toLowerCase()}>`,
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

// The headers that are compared, and the one that names the serving side.
const shownHeaders = [
  'content-type',
  'cache-control',
  'location',
  'allow',
  'retry-after',
  'www-authenticate',
  'x-service-core-runtime',
]

const maskResponseHeader = (name: string, value: string) => {
  if (name === 'location') return urlPatternOf(value) ?? 'present'
  const [reduced = ''] = name === 'content-type' ? value.split(';') : [value]
  return harmlessHeader(name).isReportable(reduced) ? reduced : 'present'
}

const formatHeaders = ({ headers }: RecordedResponse) =>
  shownHeaders.flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [`${name}: ${maskResponseHeader(name, value)}`]
  })

const formatBody = (mask: Mask, { label }: Pair, response: RecordedResponse) => {
  const { body } = response
  if (body.kind === 'empty') return []
  if (body.kind === 'text') return ['', `<${mask(body.text)}>`]
  const schema = selectDiffSchema(contractOf(label), response)
  return ['', JSON.stringify(maskBody(mask, schema, body.value), null, 2)]
}

const formatObservation = (mask: Mask, pair: Pair, observation: Observation) =>
  isResponse(observation)
    ? [
        `HTTP ${observation.status}`,
        ...formatHeaders(observation),
        ...formatBody(mask, pair, observation),
      ].join('\n')
    : `no response: ${observation.failure}`

const createList = <T>(list: T[]) => {
  const positions = new Map<string, number>()
  return (item: T) => {
    const key = JSON.stringify(item)
    const position = positions.get(key) ?? list.push(item) - 1
    positions.set(key, position)
    return position
  }
}

const listPairShapes = ({ label, request, native, core }: Pair) => {
  if (!isResponse(native) || !isResponse(core) || native.status !== core.status) return []
  const ofBodies = [native, core].flatMap(({ status, body }) =>
    body.kind === 'json' ? responseShapesOf(label, status, body.value) : [],
  )
  const query = new URLSearchParams(listQueryPairs(request)).toString()
  return [...queryShapesOf(label, query), ...ofBodies]
}

export const createRecorder = (mask: Mask) => {
  const requests: RecordedRequest[] = []
  const responses: string[] = []
  const addRequest = createList(requests)
  const addResponse = createList(responses)
  const shapes = new Map<Label, Set<string>>()
  const addShapes = (pair: Pair) => {
    const known = shapes.get(pair.label) ?? new Set()
    shapes.set(pair.label, known)
    for (const shape of listPairShapes(pair)) known.add(shape)
  }
  const recordSide = (pair: Pair, observation: Observation) => ({
    response: addResponse(formatObservation(mask, pair, observation)),
    durationMs: observation.durationMs ?? null,
  })
  return {
    recordings: { requests, responses },
    record: (pair: Pair): Recording => {
      addShapes(pair)
      return {
        request: addRequest(maskRequest(pair.label, pair.request)),
        native: recordSide(pair, pair.native),
        core: recordSide(pair, pair.core),
      }
    },
    listUnseenShapes: (label: Label) =>
      listUnseenShapes(label, [...(shapes.get(label) ?? [])]).filter((shape) => !shape.startsWith('error ')),
  }
}
export type Recorder = ReturnType<typeof createRecorder>
