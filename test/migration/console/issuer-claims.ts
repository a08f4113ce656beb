import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { createSandboxApp, serveOnLoopback } from '#dev/sandbox/listen.ts'

export interface IssuerAnswers {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly userInfo?: Readonly<Record<string, unknown>>
  readonly issuer?: string
  readonly audience?: string
  readonly nonce?: string
  readonly hasOtherKey?: boolean
  readonly isExpired?: boolean
  readonly tokenStatus?: number
}

export const startTestIssuer = async (answers: () => IssuerAnswers) => {
  const [key, otherKey] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
  const publicJwk = { ...(await exportJWK(key.publicKey)), kid: 'key', alg: 'RS256', use: 'sig' }
  const exchanges: Record<string, unknown>[] = []
  const app = createSandboxApp()
  let nonce = ''

  app.get('/.well-known/openid-configuration', ({ json }) =>
    json({
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      userinfo_endpoint: `${url}/userinfo`,
      jwks_uri: `${url}/keys`,
    }),
  )
  app.get('/keys', ({ json }) => json({ keys: [publicJwk] }))
  app.get('/userinfo', ({ json }) => json({ sub: 'person', ...answers().userInfo }))
  app.post('/token', async ({ req, json }) => {
    const given = answers()
    exchanges.push({ ...(await req.parseBody()), authorization: req.header('authorization') })
    if (given.tokenStatus) return json({ error: 'invalid_client' }, 401)
    const idToken = await new SignJWT({ nonce: given.nonce ?? nonce, ...given.claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'key' })
      .setIssuer(given.issuer ?? url)
      .setAudience(given.audience ?? 'console')
      .setSubject('person')
      .setIssuedAt()
      .setExpirationTime(given.isExpired ? '-10 minutes' : '5 minutes')
      .sign(given.hasOtherKey ? otherKey.privateKey : key.privateKey)
    return json({ access_token: 'access', token_type: 'Bearer', id_token: idToken })
  })
  const { url, close } = await serveOnLoopback(app, 0)
  return {
    url,
    close,
    exchanges,
    expectNonce: (expected: string) => {
      nonce = expected
    },
  }
}
