import type { JSONParsed } from 'hono/utils/types'
import { describeErrorBody } from '../api/error-body.ts'
import type { CallOperatorApi } from '../api/operator-api.ts'
import { isAllowed } from '../api/operator-middleware.ts'
import type { Operator } from '../api/operator-options.ts'
import { rememberReads } from '../api/remember-reads.ts'

export class ApiFailure extends Error {
  override name = 'ApiFailure'
  readonly status: number

  constructor(status: number, body: unknown) {
    super(describeErrorBody(body) ?? `The operator API responded with status ${status}.`)
    this.status = status
  }
}

/** A response body after a round trip through JSON, so times are text. */
export type Received<T> = JSONParsed<T>

// Not validated, because the endpoint is from the same build: its result has the type that the caller names.
const asReceived = <T>(body: unknown) => body as Received<T>

const origin = 'http://console.invalid'

/** How long concurrent readers share a result. */
const sharedMs = 1000

const startSharing = () => rememberReads<unknown>(sharedMs, () => performance.now())

/** Calls the operator API in process. Throws `ApiFailure`. */
export const createApiClient = (callApi: CallOperatorApi) => {
  let share = startSharing()

  const fetchBody = async (operator: Operator, path: string, init: RequestInit): Promise<unknown> => {
    const response = await callApi(operator, new Request(origin + path, init))
    const received: unknown = await response.json()
    if (!response.ok) throw new ApiFailure(response.status, received)
    return received
  }

  const send = async <T>(operator: Operator, method: string, path: string, body: object) => {
    // The request may change something, which would make shared results out of date.
    share = startSharing()
    const headers = { 'content-type': 'application/json' }
    return asReceived<T>(await fetchBody(operator, path, { method, headers, body: JSON.stringify(body) }))
  }

  /**
   * Reads a result that is the same for every operator who may read, and shares it for a second. With `maxAgeS`,
   * accepts a result up to that many seconds old.
   */
  const read = async <T>(operator: Operator, path: string, maxAgeS?: number) => {
    const init = maxAgeS === undefined ? {} : { headers: { 'cache-control': `max-age=${maxAgeS}` } }
    const fetchPath = () => fetchBody(operator, path, init)
    return asReceived<T>(
      await (isAllowed(operator, 'read') ? share(`${path} ${maxAgeS}`, fetchPath) : fetchPath()),
    )
  }

  return { send, read }
}

export type ApiClient = ReturnType<typeof createApiClient>
