import type { Tally } from './tally.ts'

/** Sends one request for an account. Resolves to the JSON body if the status is below 400, otherwise to null. */
export type Send = (method: string, path: string, body?: unknown) => Promise<unknown>

interface ClientOptions {
  readonly baseUrl: string
  readonly token: string
  readonly tally: Pick<Tally, 'record'>
  /** Delays a request if that is necessary to keep the rate. */
  readonly keepRate: () => Promise<void>
}

/** Creates a client for one account. The client records each response. */
export const createClient = ({ baseUrl, token, tally, keepRate }: ClientOptions): Send => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return async (method, path, body) => {
    await keepRate()
    const startedAt = performance.now()
    const record = (route: string, response: Response | null) =>
      tally.record({
        route,
        status: response?.status ?? null,
        isNative: response?.headers.get('x-service-core-runtime') === 'native',
        hasFallenBack: response?.headers.get('x-service-proxy-fallback') === '1',
        durationMs: performance.now() - startedAt,
      })
    try {
      const response = await fetch(baseUrl + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      record(response.headers.get('x-service-native-route') ?? `${method} ${path}`, response)
      return response.status < 400 && text !== '' ? JSON.parse(text) : null
    } catch {
      record('no response', null)
      return null
    }
  }
}
