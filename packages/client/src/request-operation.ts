import createFetchClient from 'openapi-fetch'
import { createResponseError } from './api-error.ts'
import type { Method } from './calls.ts'
import { type Safety, type SendOptions, send } from './send.ts'
import type { TokenSource } from './token-source.ts'

export interface UntypedInit {
  readonly params?: { readonly path?: Readonly<Record<string, unknown>>; readonly query?: object }
  readonly body?: unknown
  readonly signal?: AbortSignal
  readonly retries?: number
  readonly idempotencyKey?: string
}

interface FetchInit extends Pick<UntypedInit, 'params' | 'body'> {
  readonly headers: Readonly<Record<string, string>>
  readonly parseAs: 'stream'
  readonly fetch: (request: Request) => Promise<Response>
}

type FetchOperation = (
  method: Method,
  template: string,
  init: FetchInit,
) => Promise<{ readonly error?: unknown; readonly response: Response }>

// Cast, because the package types each operation, but one function serves all of them.
const createFetchOperation = (baseUrl: string) =>
  createFetchClient({ baseUrl }).request as unknown as FetchOperation

/** Prefix of the share-link routes, which need no account and ignore access tokens. */
const publicPrefix = '/v1/public/'

// The service does not store its responses to these writes, so it does not recognize a retry.
const writesWithoutKeys = ['/v1/pack-links/{slug}/share-events', '/v1/catalog-analysis']

const isPublic = (template: string) => template.startsWith(publicPrefix)

export const findSafety = (method: string, template: string): Safety => {
  if (method === 'get') return 'read'
  return isPublic(template) || writesWithoutKeys.includes(template) ? 'none' : 'key'
}

/**
 * Throws unless each parameter of a path template has a value that stays within its segment. An empty value or `..`
 * would address a different resource.
 */
const requirePathParameters = (template: string, values: Readonly<Record<string, unknown>> = {}) => {
  for (const [, name = ''] of template.matchAll(/\{(\w+)\}/g)) {
    const value = values[name]
    if (typeof value !== 'string' || value === '' || value === '.' || value === '..')
      throw new TypeError(`the path parameter ${name} of ${template} must be a non-empty string`)
  }
}

// Unguessable, because the service encrypts stored responses with it. Not created with `crypto.randomUUID`, which
// requires TLS.
const createIdempotencyKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

// The service ignores keys of any other form, so a retry would apply the write twice.
const requireIdempotencyKey = (key: string) => {
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new TypeError('an idempotency key must consist of 1 to 255 visible ASCII characters')
  return key
}

export interface OperationRequest extends UntypedInit {
  readonly method: Method
  readonly template: string
  readonly isStream: boolean
}

/** Describes an operation for messages by method and path template, because the path itself may contain a token. */
export const describeOperation = ({ method, template }: Pick<OperationRequest, 'method' | 'template'>) =>
  `${method.toUpperCase()} ${template}`

export const createOperationRequester = (
  baseUrl: string,
  tokens: TokenSource | null,
  sendOptions: SendOptions,
) => {
  const fetchOperation = createFetchOperation(baseUrl)

  return async (sent: OperationRequest) => {
    const { method, template, params, body, signal, isStream } = sent
    const { retries = sendOptions.retries, idempotencyKey } = sent
    requirePathParameters(template, params?.path)
    const operation = describeOperation(sent)
    const safety = findSafety(method, template)

    const fetch = async (request: Request) => {
      const { headers } = request
      const key = idempotencyKey ?? headers.get('idempotency-key') ?? createIdempotencyKey()
      if (safety === 'key') headers.set('idempotency-key', requireIdempotencyKey(key))
      const prepared = {
        operation,
        url: request.url,
        method: request.method,
        headers,
        body: (await request.text()) || undefined,
        signal,
        safety,
        tokens: isPublic(template) ? null : tokens,
        isStream,
      }
      const { response, text } = await send(prepared, { ...sendOptions, retries })
      return isStream && response.ok ? response : new Response(text || null, response)
    }

    const { error, response } = await fetchOperation(method, template, {
      ...(params ? { params } : {}),
      ...(body === undefined ? {} : { body }),
      headers: { accept: isStream ? 'text/event-stream' : 'application/json' },
      parseAs: 'stream',
      fetch,
    })
    if (!response.ok) throw createResponseError({ operation, response, body: error })
    return response
  }
}
