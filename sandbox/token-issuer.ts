import { createServer } from 'node:http'
import { openIssuerKey, signingAlgorithm } from './issuer-key.ts'
import { closeServer, listenOnLoopback } from './listen.ts'
import { createTokenMinter, type MintToken, sandboxAudience, sandboxIssuer } from './mint-token.ts'

const jwksPath = '/.well-known/jwks.json'

interface IssuerOptions {
  /** The folder that stores the signing key across restarts. */
  readonly stateDir: string
  readonly port?: number
}

export interface TokenIssuer {
  readonly issuer: string
  readonly audience: string
  readonly jwksUrl: string
  readonly mintToken: MintToken
  readonly close: () => Promise<void>
}

/** Serves the public half of the key in `stateDir` as a JSON Web Key Set and signs tokens with the private one. */
export const startTokenIssuer = async ({ stateDir, port = 0 }: IssuerOptions): Promise<TokenIssuer> => {
  const key = await openIssuerKey(stateDir)
  const keySet = JSON.stringify({
    keys: [{ ...key.publicJwk, kid: key.kid, alg: signingAlgorithm, use: 'sig' }],
  })

  const server = createServer((request, response) => {
    const found = request.url === jwksPath
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const [status, body] = !found
      ? [404, '{"error":"route_not_found"}']
      : isRead
        ? [200, keySet]
        : [405, '{"error":"method_not_allowed"}']
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'cache-control': status === 200 ? 'public, max-age=60' : 'no-store',
      ...(status === 405 && { allow: 'GET, HEAD' }),
    })
    response.end(body)
  })

  const url = await listenOnLoopback(server, port)
  return {
    issuer: sandboxIssuer,
    audience: sandboxAudience,
    jwksUrl: url + jwksPath,
    mintToken: createTokenMinter(key),
    close: () => closeServer(server),
  }
}
