import { createInvalidResponseError } from './api-error.ts'
import type { Client, Method } from './calls.ts'
import { createOperationRequester, describeOperation, type UntypedInit } from './request-operation.ts'
import type { SendOptions } from './send.ts'
import { createTokenSource, type GetToken } from './token-source.ts'

export interface ClientOptions extends Partial<SendOptions> {
  /** Base URL of the service, such as `https://api.example.com`. In a page it may be relative. */
  readonly baseUrl: string
  /** Without it, only requests that need no account succeed, such as those for share links. */
  readonly getToken?: GetToken | undefined
}

const defaultOptions: SendOptions = {
  retries: 4,
  retryDelayMs: 500,
  maxRetryDelayMs: 60_000,
  // Longer than the service waits for its slowest provider.
  timeoutMs: 90_000,
  // In a browser, `fetch` throws when called as another object's method.
  fetch: (...sent) => globalThis.fetch(...sent),
}

const parseBody = async (operation: string, response: Response): Promise<unknown> => {
  const text = await response.text()
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw createInvalidResponseError({ operation, response, expected: 'JSON', cause })
  }
}

// Cast, because `Client` types each operation, but one function serves all of them.
const asClient = (calls: { readonly [K in keyof Client]: unknown }) => calls as Client

/** Creates a client. It sends nothing before its first call. */
export const createClient = ({ baseUrl, getToken, ...options }: ClientOptions): Client => {
  const request = createOperationRequester(
    new URL(baseUrl, globalThis.location?.href).href,
    getToken ? createTokenSource(getToken) : null,
    { ...defaultOptions, ...options },
  )

  const call = (method: Method) => async (template: string, init?: UntypedInit) => {
    const response = await request({ ...init, method, template, isStream: false })
    return parseBody(describeOperation({ method, template }), response)
  }
  const stream = (template: string, init?: UntypedInit) =>
    request({ ...init, method: 'post', template, isStream: true })

  return asClient({
    get: call('get'),
    post: call('post'),
    put: call('put'),
    patch: call('patch'),
    delete: call('delete'),
    stream,
  })
}
