import { requireDescribedResponse } from './validate-response.ts'

export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it expects
  readonly body: any
}

const read = async (response: Response): Promise<TestResponse> => {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  }
}

export interface RequestOptions {
  readonly token?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Whether the API description covers the response. False if a test's middleware may make up a response. */
  readonly isDescribed?: boolean
}

/**
 * Sends one request to `origin`. A body that is not a string is sent as JSON. Throws if native returns a response that
 * the API description does not allow.
 */
export const requestAt = async (
  origin: string,
  method: string,
  path: string,
  { token, body, headers = {}, isDescribed = true }: RequestOptions = {},
) => {
  const response = await read(
    await fetch(origin + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  )
  if (isDescribed) requireDescribedResponse({ ...response, method })
  return response
}
