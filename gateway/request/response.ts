import { ApiError } from '#contracts/errors.ts'
import type { EdgeErrorCode } from '../edge/inspect-request.ts'

/** Has no body if `body` is undefined. A long body is encoded in chunks. */
export interface GatewayResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | readonly BodyChunk[] | undefined
}

export interface StreamResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReadableStream<BodyChunk>
  /**
   * Resolves once the work behind the body has ended, which is after the body has ended or the client has disconnected.
   */
  readonly ended: Promise<void>
}

export type BodyChunk = Uint8Array<ArrayBuffer>

export interface TextResponse extends GatewayResponse {
  readonly body: string | undefined
}

export const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' }

export const jsonResponse = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): TextResponse => ({
  status,
  headers: { ...jsonHeaders, ...headers },
  body: JSON.stringify(body),
})

export const emptyResponse = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
): TextResponse => ({
  status,
  headers,
  body: undefined,
})

export const allMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

export const errorResponse = (
  error: ApiError,
  headers: Readonly<Record<string, string>> = {},
): TextResponse => jsonResponse(error.status, error.body, { ...headers, ...error.headers })

export const createMethodNotAllowedError = (allow: readonly string[]) =>
  new ApiError('method_not_allowed', {}, { headers: { allow: allow.join(', ') } })

export const createEdgeError = (code: EdgeErrorCode): ApiError<EdgeErrorCode> =>
  code === 'method_not_allowed'
    ? new ApiError(code, {}, { headers: { allow: allMethods } })
    : new ApiError(code)
