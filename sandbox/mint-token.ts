import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { demoAccounts } from './demo-accounts.ts'
import { type IssuerKey, signingAlgorithm } from './issuer-key.ts'

/** A name, not an address: tokens stay valid when the issuer comes back on another port. */
export const sandboxIssuer = 'https://issuer.sandbox.test'
export const sandboxAudience = 'crossfade-sandbox'

const twelveHours = 12 * 60 * 60

interface TokenOptions {
  /** Unset: the address of a demo account, none for any other. */
  readonly email?: string
  readonly emailVerified?: boolean
  /** Seconds from now, 12 hours unless given; a negative number mints an expired token. */
  readonly expiresIn?: number
}

export type MintToken = (accountId: string, options?: TokenOptions) => Promise<string>

/** Signs access tokens as the sandbox issuer does. */
export const createTokenMinter =
  (key: IssuerKey): MintToken =>
  (accountId, options = {}) => {
    const email = options.email ?? demoAccounts.find((account) => account.id === accountId)?.email
    const emailClaims = email === undefined ? {} : { email, email_verified: options.emailVerified ?? true }
    const now = Math.floor(Date.now() / 1000)
    return new SignJWT(emailClaims)
      .setProtectedHeader({ alg: signingAlgorithm, kid: key.kid, typ: 'JWT' })
      .setIssuer(sandboxIssuer)
      .setAudience(sandboxAudience)
      .setSubject(accountId)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + (options.expiresIn ?? twelveHours))
      .sign(key.privateKey)
  }
