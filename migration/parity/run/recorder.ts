import { contractOf } from '../../live/comparison/judge-responses.ts'
import { selectResponseShape } from '../diff/contract-of-response.ts'
import { harmlessHeader } from '../diff/harmless-headers.ts'
import type { Mask } from '../diff/mask.ts'
import { maskBody } from '../diff/mask-body.ts'
import { isResponse, type Observation, type RecordedResponse } from '../diff/recorded-response.ts'
import { urlShape } from '../diff/url-shape.ts'
import type { RecordedRequest, Recording, Recordings } from '../report/recording.ts'
import { maskRequest } from './mask-request.ts'
import type { Pair } from './pairs.ts'

// The headers that are compared, and the side that served the response.
const shownHeaders = [
  'content-type',
  'cache-control',
  'location',
  'allow',
  'retry-after',
  'www-authenticate',
  'x-service-core-runtime',
]

const maskHeader = (name: string, value: string) => {
  if (name === 'location') return urlShape(value) ?? 'present'
  const [reduced = ''] = name === 'content-type' ? value.split(';') : [value]
  return harmlessHeader(name).isReportable(reduced) ? reduced : 'present'
}

const formatHeaders = ({ headers }: RecordedResponse) =>
  shownHeaders.flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [`${name}: ${maskHeader(name, value)}`]
  })

const formatBody = (mask: Mask, { label }: Pair, response: RecordedResponse) => {
  const { body } = response
  if (body.kind === 'empty') return []
  if (body.kind === 'text') return ['', `<${mask(body.text)}>`]
  const shape = selectResponseShape(contractOf(label), response)
  return ['', JSON.stringify(maskBody(mask, shape, body.value), null, 2)]
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

/** Records the masked requests and responses of pairs, each distinct one once. */
export const createRecorder = (mask: Mask) => {
  const recordings: Recordings = { requests: [], responses: [] }
  const addRequest = createList<RecordedRequest>(recordings.requests)
  const addResponse = createList<string>(recordings.responses)
  const recordSide = (pair: Pair, observation: Observation) => ({
    response: addResponse(formatObservation(mask, pair, observation)),
    durationMs: observation.durationMs ?? null,
  })
  return {
    recordings,
    record: (pair: Pair): Recording => ({
      request: addRequest(maskRequest(pair.label, pair.request)),
      native: recordSide(pair, pair.native),
      core: recordSide(pair, pair.core),
    }),
  }
}
export type Recorder = ReturnType<typeof createRecorder>
