import type { ApiError } from '#contracts/errors.ts'

/** A response that the gateway produced; it has no body if `body` is undefined. */
export interface GatewayResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

const jsonType = { 'content-type': 'application/json; charset=utf-8' }

export const jsonResponse = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): GatewayResponse => ({
  status,
  headers: { ...jsonType, ...headers },
  body: JSON.stringify(body),
})

export const emptyResponse = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
): GatewayResponse => ({
  status,
  headers,
  body: undefined,
})

/** The `Allow` value for the server as a whole instead of one route. */
export const allMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

export const errorResponse = (error: ApiError): GatewayResponse =>
  jsonResponse(error.status, error.body, error.headers)
