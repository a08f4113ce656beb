import { openIssuerKey, signingAlgorithm } from './issuer-key.ts'
import { createSandboxApp, serveOnLoopback } from './listen.ts'
import { createTokenMinter, type MintToken, sandboxAudience, sandboxIssuer } from './mint-token.ts'
import { addOperatorSignIn } from './operator-sign-in.ts'

const jwksPath = '/.well-known/jwks.json'
const tokenPath = '/sandbox/token'

const demoTokenTtlS = 15 * 60

/** Whether a page was loaded from this machine. Pages on the web must not get tokens for what runs here. */
const isLocal = (origin: string) => /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(origin)

interface IssuerOptions {
  readonly stateDir: string
  readonly port?: number
}

export interface TokenIssuer {
  readonly issuer: string
  /** Where console operators sign in. */
  readonly operatorIssuer: string
  readonly audience: string
  readonly jwksUrl: string
  readonly tokenUrl: string
  readonly mintToken: MintToken
  readonly close: () => Promise<void>
}

/** Serves the public half of the key in `stateDir` as a JSON Web Key Set, and signs tokens with the private half. */
export const startTokenIssuer = async ({ stateDir, port = 0 }: IssuerOptions): Promise<TokenIssuer> => {
  const key = await openIssuerKey(stateDir)
  const keySet = JSON.stringify({
    keys: [{ ...key.publicJwk, kid: key.kid, alg: signingAlgorithm, use: 'sig' }],
  })

  const mintToken = createTokenMinter(key)

  const app = createSandboxApp()
  app.get(jwksPath, ({ body }) =>
    body(keySet, 200, { 'content-type': 'application/json', 'cache-control': 'public, max-age=60' }),
  )
  app.all(jwksPath, ({ json }) => json({ error: 'method_not_allowed' }, 405, { allow: 'GET, HEAD' }))
  app.post(tokenPath, async ({ req, text, json }) => {
    const origin = req.header('origin') ?? ''
    if (!isLocal(origin)) return json({ error: 'forbidden' }, 403)
    const token = await mintToken('acct_alice', { expiresIn: demoTokenTtlS })
    return text(token, 200, {
      'access-control-allow-origin': origin,
      vary: 'origin',
      'cache-control': 'no-store',
    })
  })
  addOperatorSignIn(app, key, jwksPath)
  app.notFound(({ json }) => json({ error: 'route_not_found' }, 404))

  const { url, close } = await serveOnLoopback(app, port)
  return {
    issuer: sandboxIssuer,
    operatorIssuer: url,
    audience: sandboxAudience,
    jwksUrl: url + jwksPath,
    tokenUrl: url + tokenPath,
    mintToken,
    close,
  }
}
