import createFetchClient from 'openapi-fetch'
import { ApiError, createResponseError } from './api-error.ts'
import type { Client, Method } from './calls.ts'
import { findSafety, isPublic, requirePathParameters } from './operations.ts'
import { type PreparedRequest, type SendOptions, send } from './send.ts'
import { createTokenSource, type GetToken } from './token-source.ts'

export interface ClientOptions extends Partial<SendOptions> {
  /** The base URL of the service, such as `https://api.example.com`. In a page it may be relative to the page. */
  readonly baseUrl: string
  /** Without it, only requests that need no account succeed, such as those of share links. */
  readonly getToken?: GetToken | undefined
}

interface UntypedInit {
  readonly params?: { readonly path?: Readonly<Record<string, unknown>>; readonly query?: object }
  readonly body?: unknown
  readonly signal?: AbortSignal
  readonly retries?: number
  readonly idempotencyKey?: string
}

interface FetchInit extends Pick<UntypedInit, 'params' | 'body'> {
  readonly parseAs: 'text'
  readonly fetch: (request: Request) => Promise<Response>
}

interface FetchResult {
  readonly data?: string
  readonly error?: unknown
  readonly response: Response
}

type RequestText = (method: Method, template: string, init: FetchInit) => Promise<FetchResult>

// The types of a call are those of its operation, which one function for all operations cannot have.
const createRequestText = (baseUrl: string) =>
  createFetchClient({ baseUrl }).request as unknown as RequestText

const createCalls = (call: (method: Method) => (template: string, init?: UntypedInit) => Promise<unknown>) =>
  ({
    get: call('get'),
    post: call('post'),
    put: call('put'),
    patch: call('patch'),
    delete: call('delete'),
    // As above: `Client` has the types of each operation.
  }) as Client

const defaultOptions: SendOptions = {
  retries: 4,
  retryDelayMs: 500,
  maxRetryDelayMs: 60_000,
  // More than the service waits for the slowest of its own providers.
  timeoutMs: 90_000,
  // In a browser, `fetch` throws if it is called as the method of another object.
  fetch: (...sent) => globalThis.fetch(...sent),
}

const parseBody = (text: string | undefined, operation: string, { status, headers }: Response): unknown => {
  if (!text) return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    const message = `${operation}: the response is not JSON (${status}); check the base URL`
    const requestId = headers.get('x-request-id') ?? undefined
    throw new ApiError({ code: 'invalid_response', message, status, requestId, cause })
  }
}

// It cannot be guessed, as the service encrypts stored responses with it. `crypto.randomUUID` requires TLS.
const createIdempotencyKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

/** Creates a client. It sends nothing before its first call. */
export const createClient = ({ baseUrl, getToken, ...options }: ClientOptions): Client => {
  const requestText = createRequestText(new URL(baseUrl, globalThis.location?.href).href)
  const tokens = getToken ? createTokenSource(getToken) : null
  const sendOptions = { ...defaultOptions, ...options }

  const call =
    (method: Method) =>
    async (template: string, init: UntypedInit = {}) => {
      const { params, body, signal, retries = sendOptions.retries, idempotencyKey } = init
      requirePathParameters(template, params?.path)
      const operation = `${method.toUpperCase()} ${template}`
      const safety = findSafety(method, template)

      const fetch = async (request: Request) => {
        const { headers } = request
        const key = idempotencyKey ?? headers.get('idempotency-key') ?? createIdempotencyKey()
        if (safety === 'key') headers.set('idempotency-key', key)
        const prepared: PreparedRequest = {
          operation,
          url: request.url,
          method: request.method,
          headers,
          body: (await request.text()) || undefined,
          signal,
          safety,
          tokens: isPublic(template) ? null : tokens,
        }
        const { response, text } = await send(prepared, { ...sendOptions, retries })
        return new Response(text || null, response)
      }

      const { data, error, response } = await requestText(method, template, {
        ...(params ? { params } : {}),
        ...(body === undefined ? {} : { body }),
        parseAs: 'text',
        fetch,
      })
      if (!response.ok) throw createResponseError({ operation, response, body: error })
      return parseBody(data, operation, response)
    }

  return createCalls(call)
}
