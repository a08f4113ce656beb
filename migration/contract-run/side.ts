import { type Observation, readBody } from '../diff/recorded-response.ts'
import type { WireRequest } from './request.ts'

/** One of the two deployments that are compared. */
export interface Side {
  readonly name: 'native' | 'core'
  readonly origin: string
  /** Whoever answers there is what native is compared with, whatever it says of itself. */
  readonly asItIs?: true
}

/** Texts that are other in each run, with what stands for them in what is compared. */
export type Aliases = readonly (readonly [text: string, alias: string])[]

const answerWithinMs = 20_000
const longestBody = 8 * 1024 * 1024

const withAliases = (text: string, aliases: Aliases) =>
  aliases.reduce((result, [given, alias]) => result.replaceAll(given, alias), text)

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError'

const runtimeHeader = 'x-service-core-runtime'

const headersOf = ({ headers }: Response, { asItIs }: Side, aliases: Aliases) =>
  Object.fromEntries(
    Array.from(headers, ([name, value]) => [name, withAliases(value, aliases)] as const).filter(
      ([name]) => !asItIs || name !== runtimeHeader,
    ),
  )

/** Sends one request; whatever comes of it is an observation, never an error. */
export const observe = async (
  side: Side,
  { method, path, headers, body }: WireRequest,
  aliases: Aliases,
): Promise<Observation> => {
  const signal = AbortSignal.timeout(answerWithinMs)
  let response: Response
  try {
    response = await fetch(side.origin + path, {
      method,
      headers,
      redirect: 'manual',
      signal,
      ...(body === undefined ? {} : { body }),
    })
  } catch (error) {
    return { failure: isTimeout(error) ? 'timeout' : 'unreachable' }
  }
  try {
    const text = await response.text()
    if (text.length > longestBody) return { failure: 'too_large' }
    return {
      status: response.status,
      headers: headersOf(response, side, aliases),
      body: readBody(withAliases(text, aliases)),
    }
  } catch (error) {
    return { failure: isTimeout(error) ? 'timeout' : 'truncated' }
  }
}
