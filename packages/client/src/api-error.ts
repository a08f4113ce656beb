interface ApiErrorFields {
  readonly code: string
  readonly message: string
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly retryAfterS?: number | undefined
  readonly body?: unknown
  readonly cause?: unknown
}

/** A request that failed: an error response from the service, or no usable response at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /**
   * The stable code, from the service (docs/errors.md) or the client. The client's own are `connection_failed`,
   * `request_timed_out`, `invalid_response`, `upload_rejected`, `processing_failed`, `processing_timed_out`, and
   * `http_error` for an error response without a code.
   */
  readonly code: string
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined
  /** The request's id in the service's log. */
  readonly requestId: string | undefined
  /** Seconds to wait before sending the request again, if the service said so. */
  readonly retryAfterS: number | undefined
  /** The parsed body, including the fields specific to the code, such as the `issues` of `validation_error`. */
  readonly body: unknown

  constructor({ code, message, status, requestId, retryAfterS, body, cause }: ApiErrorFields) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfterS = retryAfterS
    this.body = body
  }
}

export const readRetryAfterS = (headers: Headers) => {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d+$/.test(value)) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000))
}

const readField = (body: unknown, field: 'error' | 'message') => {
  if (typeof body !== 'object' || body === null) return undefined
  const value: unknown = Object.entries(body).find(([name]) => name === field)?.[1]
  return typeof value === 'string' ? value : undefined
}

export const readErrorCode = (text: string) => {
  try {
    return readField(JSON.parse(text), 'error')
  } catch {
    return undefined
  }
}

interface FailedResponse {
  /** The method and path template. Not the path itself, which may contain a token. */
  readonly operation: string
  readonly response: Response
  readonly body: unknown
}

// Tells the developer who reads the message which field is wrong, and how.
const describeIssues = (body: unknown) => {
  if (typeof body !== 'object' || body === null || !('issues' in body) || !Array.isArray(body.issues))
    return ''
  const issues: readonly { readonly path?: unknown; readonly message?: unknown }[] = body.issues
  return issues.map(({ path, message }) => `; ${path}: ${message}`).join('')
}

export const createResponseError = ({ operation, response: { status, headers }, body }: FailedResponse) => {
  const code = readField(body, 'error') ?? 'http_error'
  return new ApiError({
    code,
    message: `${operation}: ${readField(body, 'message') ?? code} (${status})${describeIssues(body)}`,
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterS: readRetryAfterS(headers),
    body,
  })
}

interface InvalidResponse extends Omit<FailedResponse, 'body'> {
  readonly expected: string
  readonly cause?: unknown
}

export const createInvalidResponseError = ({ operation, response, expected, cause }: InvalidResponse) =>
  new ApiError({
    code: 'invalid_response',
    message: `${operation}: the response is not ${expected} (${response.status}); check the base URL`,
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    cause,
  })

export const createStreamError = (operation: string, body: unknown) => {
  const code = readField(body, 'error') ?? 'http_error'
  return new ApiError({ code, message: `${operation}: ${readField(body, 'message') ?? code}`, body })
}
