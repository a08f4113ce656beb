import { randomBytes } from 'node:crypto'
import { html } from 'hono/html'
import { SignJWT } from 'jose'
import { calculatePKCECodeChallenge } from 'oauth4webapi'
import { type IssuerKey, signingAlgorithm } from './issuer-key.ts'
import type { SandboxApp } from './listen.ts'

const people = [
  { email: 'olivia@crossfade.example', does: 'moves routes', groups: ['platform'] },
  { email: 'ravi@crossfade.example', does: 'only looks', groups: ['engineering'] },
  { email: 'sam@crossfade.example', does: 'may not use the console', groups: ['marketing'] },
] as const

export const operatorSignInSettings = {
  OIDC_CLIENT_ID: 'crossfade-console',
  OIDC_ROLES: 'platform:write,engineering:read',
}

const { OIDC_CLIENT_ID: clientId } = operatorSignInSettings

const codeTtlMs = 60_000

const redirectUris = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\/console\/sign-in\/callback$/

// Allows only the console of a gateway on this machine.
const isConsole = (clientOfRequest: string | undefined, redirectUri: string) =>
  clientOfRequest === clientId && redirectUris.test(redirectUri)

const rejection = 'Only the console of a gateway on this machine can sign in here.'

interface Grant {
  readonly person: (typeof people)[number]
  readonly nonce: string
  readonly challenge: string
  readonly redirectUri: string
  readonly endsAt: number
}

/** Adds an OpenID Connect issuer to an app. One button signs a person in as a console operator. */
export const addOperatorSignIn = (app: SandboxApp, { privateKey, kid }: IssuerKey, jwksPath: string) => {
  const grants = new Map<string, Grant>()

  const remember = (code: string, grant: Grant) => {
    for (const [known, { endsAt }] of grants) if (endsAt < Date.now()) grants.delete(known)
    grants.set(code, grant)
  }

  app.get('/.well-known/openid-configuration', ({ req, json }) => {
    const { origin } = new URL(req.url)
    return json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      jwks_uri: origin + jwksPath,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [signingAlgorithm],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    })
  })

  app.get('/authorize', (context) => {
    const { redirect_uri: redirectUri = '', client_id: client } = context.req.query()
    if (!isConsole(client, redirectUri)) return context.text(rejection, 400)
    const { search } = new URL(context.req.url)
    context.header('content-security-policy', "frame-ancestors 'none'")
    return context.html(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox identity provider</title>
<style>:root{color-scheme:light dark;font:1rem/1.5 system-ui}body{max-width:26rem;margin:12vh auto;padding:0 1rem}button{display:block;width:100%;margin:.5rem 0;padding:.75rem;font:inherit;text-align:left;cursor:pointer}</style>
</head><body><main><h1>Who are you?</h1>
<p>This stands in for your company's identity provider.</p>
<form method="post" action="/authorize${search}">${people.map(
      ({ email, does }) =>
        html`<button name="email" value="${email}"><strong>${email}</strong> ${does}</button>`,
    )}</form></main></body></html>`)
  })

  app.post('/authorize', async ({ req, redirect, text }) => {
    const query = req.query()
    const { redirect_uri: redirectUri = '', state = '', nonce = '', code_challenge: challenge = '' } = query
    // Keeps pages from other origins from submitting the form (CSRF).
    const isPressedHere = [undefined, new URL(req.url).origin].includes(req.header('origin'))
    const { email } = await req.parseBody()
    const person = people.find((known) => known.email === email)
    if (!isPressedHere || person === undefined || !isConsole(query.client_id, redirectUri))
      return text(rejection, 400)
    const code = randomBytes(16).toString('base64url')
    remember(code, { person, nonce, challenge, redirectUri, endsAt: Date.now() + codeTtlMs })
    return redirect(`${redirectUri}?${new URLSearchParams({ code, state })}`, 303)
  })

  app.post('/token', async ({ req, json }) => {
    const form = await req.parseBody()
    const code = String(form.code)
    const grant = grants.get(code)
    grants.delete(code)
    const challenge = await calculatePKCECodeChallenge(String(form.code_verifier))
    if (
      grant === undefined ||
      grant.endsAt < Date.now() ||
      grant.challenge !== challenge ||
      grant.redirectUri !== form.redirect_uri ||
      form.client_id !== clientId
    )
      return json({ error: 'invalid_grant' }, 400)
    const { email, groups } = grant.person
    const idToken = await new SignJWT({ email, email_verified: true, groups, nonce: grant.nonce })
      .setProtectedHeader({ alg: signingAlgorithm, kid })
      .setIssuer(new URL(req.url).origin)
      .setAudience(clientId)
      .setSubject(email)
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .sign(privateKey)
    return json({
      access_token: randomBytes(16).toString('base64url'),
      token_type: 'Bearer',
      id_token: idToken,
    })
  })
}
