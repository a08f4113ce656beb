import * as oauth from 'oauth4webapi'
import { operatorName } from '#gateway/settings/operators.ts'
import type { SingleSignOnVariables } from '#gateway/settings/single-sign-on.ts'
import type { Operator } from '../../api/operator-options.ts'
import type { ConsoleOptions } from '../console-options.ts'

/** Thrown if an operator could not be signed in. The message is written for the operator. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused'
  readonly status: 400 | 403 | 502

  constructor(status: 400 | 403 | 502, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

/**
 * What the browser keeps while the operator signs in at the issuer. The issuer must return the same `state` and
 * `nonce`, and `verifier` is sent to it with the code (PKCE).
 */
export interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** An operator, with the issuer's id for the person. The issuer never gives this id to anyone else. */
interface ConfirmedOperator extends Operator {
  readonly subject: string
}

type Claims = Readonly<Record<string, unknown>>
type Roles = SingleSignOnVariables['OIDC_ROLES']

const timeoutMs = 5000

// An issuer's keys and addresses rarely change, but the console must notice when they do.
const discoveryTtlMs = 10 * 60_000

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/** Reads the groups from the claim `name`. Most issuers send a list, some a single string. */
const readGroups = (claims: Claims, name: string): readonly string[] | null => {
  const value = claims[name]
  if (typeof value === 'string') return [value]
  return isTexts(value) ? value : null
}

const findRole = (groups: readonly string[], roles: Roles) => {
  const given = roles.filter(({ group }) => groups.includes(group)).map(({ role }) => role)
  return given.find((role) => role === 'write') ?? given[0] ?? null
}

const isName = (name: unknown): name is string => typeof name === 'string' && operatorName.test(name)

/**
 * Chooses the name for the audit: the email address, unless the issuer calls it unverified; then the user name; then
 * the issuer's id. Skips a user name that looks like an address: people may be able to choose their user name, and
 * could choose a colleague's address.
 */
const findName = ({ email, email_verified: isVerified, preferred_username: username, sub }: Claims) => {
  const address = isVerified === false || isVerified === 'false' ? undefined : email
  return [address, String(username).includes('@') ? undefined : username, sub].find(isName)
}

const toRefusal = (error: unknown) => {
  if (error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied')
    return new SignInRefused(403, 'The identity provider refused the sign-in.', error)
  return new SignInRefused(502, 'The identity provider did not confirm the sign-in. Try again.', error)
}

export const createSingleSignOn = ({
  singleSignOn,
  listOperators,
}: Pick<ConsoleOptions, 'singleSignOn' | 'listOperators'>) => {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = singleSignOn
  if (OIDC_ISSUER === undefined || OIDC_CLIENT_ID === undefined) return null
  const { OIDC_SCOPE, OIDC_GROUPS_CLAIM, OIDC_ROLES } = singleSignOn
  const issuer = new URL(OIDC_ISSUER)
  const client: oauth.Client = { client_id: OIDC_CLIENT_ID }
  const selectAuthentication = ({
    token_endpoint_auth_methods_supported: methods = ['client_secret_basic'],
  }: oauth.AuthorizationServer) => {
    if (OIDC_CLIENT_SECRET === undefined) return oauth.None()
    return methods.includes('client_secret_basic')
      ? oauth.ClientSecretBasic(OIDC_CLIENT_SECRET)
      : oauth.ClientSecretPost(OIDC_CLIENT_SECRET)
  }
  const request = () => ({
    signal: AbortSignal.timeout(timeoutMs),
    // The settings allow http only for an issuer on this machine.
    [oauth.allowInsecureRequests]: issuer.protocol === 'http:',
  })

  let discovered: { readonly server: oauth.AuthorizationServer; readonly at: number } | undefined
  const findServer = async () => {
    if (discovered !== undefined && performance.now() - discovered.at < discoveryTtlMs)
      return discovered.server
    try {
      const response = await oauth.discoveryRequest(issuer, request())
      const server = await oauth.processDiscoveryResponse(issuer, response)
      discovered = { server, at: performance.now() }
    } catch (error) {
      // Outdated discovery data is better than none.
      if (discovered === undefined) throw error
    }
    return discovered.server
  }

  /** Returns the ID token's claims. If they lack the groups or the address, adds the user info endpoint's claims. */
  const readClaims = async (
    server: oauth.AuthorizationServer,
    callback: URL,
    redirectUri: string,
    { state, nonce, verifier }: PendingSignIn,
  ): Promise<Claims> => {
    const parameters = oauth.validateAuthResponse(server, client, callback, state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      selectAuthentication(server),
      parameters,
      redirectUri,
      verifier,
      request(),
    )
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(server, response, request())
    const claims: Claims = { ...oauth.getValidatedIdTokenClaims(tokens) }
    const isComplete = readGroups(claims, OIDC_GROUPS_CLAIM) !== null && claims.email !== undefined
    if (isComplete || server.userinfo_endpoint === undefined) return claims
    const userInfo = await oauth.userInfoRequest(server, client, tokens.access_token, request())
    return {
      ...(await oauth.processUserInfoResponse(server, client, String(claims.sub), userInfo)),
      ...claims,
    }
  }

  const toOperator = (claims: Claims): ConfirmedOperator => {
    const name = findName(claims)
    if (name === undefined)
      throw new SignInRefused(403, 'The identity provider sent no name that the audit can record.')
    const isTaken = ['auto', ...listOperators().map((operator) => operator.name)].some(
      (taken) => taken.toLowerCase() === name.toLowerCase(),
    )
    if (isTaken) throw new SignInRefused(403, `${name} is already the name of an operator with a token.`)
    const role = findRole(readGroups(claims, OIDC_GROUPS_CLAIM) ?? [], OIDC_ROLES)
    if (role === null) throw new SignInRefused(403, `${name} is not in a group that may use the console.`)
    return { name, role, subject: String(claims.sub) }
  }

  return {
    /**
     * Depends on every setting that decides an operator's name or role. If it changes, that ends all sessions that the
     * issuer confirmed.
     */
    key: JSON.stringify([OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_GROUPS_CLAIM, OIDC_ROLES]),

    async begin(redirectUri: string) {
      const pending: PendingSignIn = {
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
      }
      try {
        const { authorization_endpoint: endpoint = '' } = await findServer()
        const url = new URL(endpoint)
        for (const [name, value] of Object.entries({
          client_id: OIDC_CLIENT_ID,
          redirect_uri: redirectUri,
          response_type: 'code',
          scope: OIDC_SCOPE,
          state: pending.state,
          nonce: pending.nonce,
          code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
          code_challenge_method: 'S256',
        }))
          url.searchParams.set(name, value)
        return { url, pending }
      } catch (error) {
        throw new SignInRefused(502, 'The identity provider did not respond. Try again.', error)
      }
    },

    async complete(callback: URL, redirectUri: string, pending: PendingSignIn) {
      const claims = await findServer()
        .then((server) => readClaims(server, callback, redirectUri, pending))
        .catch((error: unknown) => {
          throw toRefusal(error)
        })
      return toOperator(claims)
    },
  }
}

export type SingleSignOn = NonNullable<ReturnType<typeof createSingleSignOn>>
