export interface DubOptions {
  readonly apiKey: string
  /** Unset: the provider's own. */
  readonly apiBase: string | undefined
}

interface Call {
  readonly method?: 'POST' | 'PATCH'
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  readonly signal: AbortSignal
}

/** The provider refused. Its words are left out: they may repeat what it was sent. */
export class LinkProviderError extends Error {
  override name = 'LinkProviderRefusal'
  readonly status: number
  constructor(status: number) {
    super(`the link provider answered with ${status}`)
    this.status = status
  }
}

/** Calls Dub's API; resolves to the body of a success, parsed where there is one, and throws for anything else. */
export const createDubClient = ({ apiKey, apiBase = 'https://api.dub.co' }: DubOptions) => {
  const base = apiBase.replace(/\/+$/, '')
  return async (path: string, { method, query, body, signal }: Call): Promise<unknown> => {
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
    const response = await fetch(base + path + search, {
      method: method ?? 'GET',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect would take the key elsewhere; it is no success and throws below.
      redirect: 'manual',
      signal,
    })
    const text = await response.text()
    if (!response.ok) throw new LinkProviderError(response.status)
    return text === '' ? null : JSON.parse(text)
  }
}
