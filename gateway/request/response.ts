import type { ApiError } from '#contracts/errors.ts'

/** What the gateway itself says to a client: JSON, text, or nothing where `body` is undefined. */
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

/** For `Allow` where the whole service is meant rather than one route of it. */
export const allMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

export const errorResponse = (error: ApiError): GatewayResponse =>
  jsonResponse(error.status, error.body, error.headers)
