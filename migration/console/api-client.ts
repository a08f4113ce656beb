import { describeErrorBody } from '../api/error-body.ts'
import type { CallOperatorApi } from '../api/operator-api.ts'
import { isAllowed } from '../api/operator-middleware.ts'
import type { Operator } from '../api/operator-options.ts'
import { rememberReads } from '../api/remember-reads.ts'

export class ApiFailure extends Error {
  override name = 'ApiFailure'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const origin = 'http://console.invalid'

/** How long concurrent readers share a result. */
const sharedMs = 1000

const startSharing = () => rememberReads<unknown>(sharedMs, () => performance.now())

/**
 * Calls the operator API in process. Results are not validated, because the endpoints are from the same build: they have
 * the types that the callers name. Throws `ApiFailure`.
 */
export const createApiClient = (callApi: CallOperatorApi) => {
  let share = startSharing()

  const fetchBody = async (operator: Operator, path: string, init: RequestInit): Promise<unknown> => {
    const response = await callApi(operator, new Request(origin + path, init))
    const received: unknown = await response.json()
    if (response.ok) return received
    const message =
      describeErrorBody(received) ?? `The operator API responded with status ${response.status}.`
    throw new ApiFailure(response.status, message)
  }

  const send = async <T>(operator: Operator, method: string, path: string, body: object) => {
    // The request may change something, which would make shared results out of date.
    share = startSharing()
    const headers = { 'content-type': 'application/json' }
    return (await fetchBody(operator, path, { method, headers, body: JSON.stringify(body) })) as T
  }

  /**
   * Reads a result that is the same for every operator who may read, and shares it for a second. With `maxAgeS`,
   * accepts a result up to that many seconds old.
   */
  const read = async <T>(operator: Operator, path: string, maxAgeS?: number) => {
    const init = maxAgeS === undefined ? {} : { headers: { 'cache-control': `max-age=${maxAgeS}` } }
    const fetchPath = () => fetchBody(operator, path, init)
    const isShared = isAllowed(operator, 'read')
    return (await (isShared ? share(`${path} ${maxAgeS}`, fetchPath) : fetchPath())) as T
  }

  return { send, read }
}

export type ApiClient = ReturnType<typeof createApiClient>
