import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { SendRequest } from './scenario.ts'

/** A request as it goes over the wire to either side. */
export interface WireRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const pathOf = (label: Label, params: Readonly<Record<string, string>> = {}) =>
  rowOf(label).path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${label} needs the path parameter ${name}`)
    return encodeURIComponent(value)
  })

const pairsOf = (query: NonNullable<SendRequest['query']>) =>
  Array.isArray(query) ? query : Object.entries(query)

const queryOf = (query: SendRequest['query']) =>
  query === undefined ? '' : `?${new URLSearchParams(pairsOf(query))}`

export const createRequest = (label: Label, ask: SendRequest): WireRequest => {
  const body = ask.text ?? (ask.body === undefined ? undefined : JSON.stringify(ask.body))
  return {
    method: rowOf(label).method,
    path: pathOf(label, ask.params) + queryOf(ask.query),
    headers: {
      ...(ask.as === undefined ? {} : { authorization: `Bearer ${ask.as.token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...ask.headers,
    },
    ...(body === undefined ? {} : { body }),
  }
}
