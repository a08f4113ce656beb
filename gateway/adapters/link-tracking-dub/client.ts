import { fetchTraced } from '#shared/fetch-traced.ts'

export interface DubOptions {
  readonly apiKey: string
  readonly apiBase: string | undefined
}

interface DubRequest {
  readonly method?: 'POST' | 'PATCH'
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  readonly signal: AbortSignal
}

/** Has only the status, because the text may quote the request. */
export class LinkProviderError extends Error {
  override name = 'LinkProviderError'
  readonly status: number
  constructor(status: number) {
    super(`the link provider returned status ${status}`)
    this.status = status
  }
}

/** Calls return the parsed body or null, and throw unless the status is 2xx. */
export const createDubClient = (options: DubOptions) => {
  const { apiBase = 'https://api.dub.co' } = options
  const base = apiBase.replace(/\/+$/, '')
  return async (path: string, { method, query, body, signal }: DubRequest): Promise<unknown> => {
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
    const response = await fetchTraced('link provider', base + path + search, {
      method: method ?? 'GET',
      headers: { authorization: `Bearer ${options.apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect would send the API key to a different host, so it throws below.
      redirect: 'manual',
      signal,
    })
    const text = await response.text()
    if (!response.ok) throw new LinkProviderError(response.status)
    return text === '' ? null : JSON.parse(text)
  }
}
