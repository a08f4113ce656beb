import type { Label } from '#contracts/route-table.ts'
import { fillPath, rowOf } from '#contracts/shared/row.ts'
import type { ScenarioRequest } from './scenario.ts'

/** A request as it is sent to both sides. */
export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export const listQueryPairs = ({ query = {} }: ScenarioRequest): [name: string, value: string][] =>
  Array.isArray(query) ? [...query] : Object.entries(query)

const buildQuery = (request: ScenarioRequest) =>
  request.query === undefined ? '' : `?${new URLSearchParams(listQueryPairs(request))}`

/** Builds a route's request. Throws if a path parameter is missing. */
export const createRequest = (label: Label, request: ScenarioRequest): WireRequest => {
  const body = request.text ?? (request.body === undefined ? undefined : JSON.stringify(request.body))
  return {
    method: rowOf(label).method,
    path: fillPath(label, request.params ?? {}) + buildQuery(request),
    headers: {
      ...(request.as === undefined ? {} : { authorization: `Bearer ${request.as.token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(body === undefined ? {} : { body }),
  }
}
