/**
 * Returns an access token, or none for requests without an account. The client calls it before the first request. When
 * the service rejects a token with 401, the client calls it again with that token and expects a new one.
 */
export type GetToken = (rejected?: string) => Token | Promise<Token>

type Token = string | null | undefined

/** Concurrent requests share one call to `getToken`. */
export interface TokenSource {
  readonly get: () => Promise<string | null>
  readonly replace: (rejected: string) => Promise<string | null>
}

// Checked here, because the platform's own error for an invalid header value would contain the token.
const requireHeaderValue = (token: Token) => {
  if (token === null || token === undefined) return null
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new TypeError('the access token must consist of visible ASCII characters')
  return token
}

/** If `getToken` fails, the next request calls it again. */
export const createTokenSource = (getToken: GetToken): TokenSource => {
  let current: Promise<string | null> | undefined

  const load = (rejected?: string) => {
    const loading = Promise.resolve()
      .then(() => getToken(rejected))
      .then(requireHeaderValue)
    current = loading
    loading.catch(() => {
      if (current === loading) current = undefined
    })
    return loading
  }

  const get = () => current ?? load()

  const replace = async (rejected: string) => {
    for (;;) {
      const pending = get()
      const token = await pending
      if (token !== rejected) return token
      // Another request may have started replacing the same token while this one waited.
      if (current === pending) return load(rejected)
    }
  }

  return { get, replace }
}
