import type { Label } from '#contracts/route-table.ts'
import { fillPath, rowOf } from '#contracts/shared/row.ts'
import { type Observation, readBody } from '../../diff/recorded-response.ts'
import type { ScenarioRequest } from './scenario.ts'

export const listQueryPairs = ({ query = {} }: ScenarioRequest): [name: string, value: string][] =>
  Array.isArray(query) ? [...query] : Object.entries(query)

const buildQuery = (request: ScenarioRequest) =>
  request.query === undefined ? '' : `?${new URLSearchParams(listQueryPairs(request))}`

const toContent = ({ as, body, text, headers }: ScenarioRequest) => {
  const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
  return {
    headers: {
      ...(as === undefined ? {} : { authorization: `Bearer ${as.token}` }),
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(content === undefined ? {} : { body: content }),
  }
}

export interface ComparedSide {
  readonly name: 'native' | 'core'
  readonly origin: string
  /** Set to ignore `x-service-core-runtime`, because a compared deployment may itself serve some routes natively. */
  readonly ignoresRuntimeHeader?: true
}

/** Texts that differ in each run, and what replaces them in compared responses. */
export type Aliases = readonly (readonly [text: string | RegExp, alias: string])[]

const responseTimeoutMs = 20_000
const maxBodyLength = 8 * 1024 * 1024

export const withAliases = (text: string, aliases: Aliases) =>
  aliases.reduce((result, [given, alias]) => result.replaceAll(given, alias), text)

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError'

const runtimeHeader = 'x-service-core-runtime'

const readHeaders = ({ headers }: Response, side: ComparedSide, aliases: Aliases) =>
  Object.fromEntries(
    Array.from(headers, ([name, value]) => [name, withAliases(value, aliases)] as const).filter(
      ([name]) => !side.ignoresRuntimeHeader || name !== runtimeHeader,
    ),
  )

const send = async (
  side: ComparedSide,
  label: Label,
  request: ScenarioRequest,
  aliases: Aliases,
): Promise<Observation> => {
  const url = side.origin + fillPath(label, request.params ?? {}) + buildQuery(request)
  let response: Response
  try {
    response = await fetch(url, {
      ...toContent(request),
      method: rowOf(label).method,
      redirect: 'manual',
      signal: AbortSignal.timeout(responseTimeoutMs),
    })
  } catch (error) {
    return { failure: isTimeout(error) ? 'timeout' : 'unreachable' }
  }
  try {
    const text = await response.text()
    if (text.length > maxBodyLength) return { failure: 'too_large' }
    return {
      status: response.status,
      headers: readHeaders(response, side, aliases),
      body: readBody(withAliases(text, aliases)),
    }
  } catch (error) {
    return { failure: isTimeout(error) ? 'timeout' : 'truncated' }
  }
}

/**
 * Sends one request and measures its duration. Returns a failure as an observation. Throws only if a path parameter is
 * missing.
 */
export const sendTimed = async (
  side: ComparedSide,
  label: Label,
  request: ScenarioRequest,
  aliases: Aliases = [],
): Promise<Observation> => {
  const startedAt = performance.now()
  const observation = await send(side, label, request, aliases)
  return { ...observation, durationMs: Math.round(performance.now() - startedAt) }
}
