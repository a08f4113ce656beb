import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { demoAccounts } from './demo-accounts.ts'
import { type IssuerKey, signingAlgorithm } from './issuer-key.ts'

/** An identifier rather than an address, so that tokens stay valid when the issuer restarts on another port. */
export const sandboxIssuer = 'https://issuer.sandbox.test'
export const sandboxAudience = 'crossfade-sandbox'

const defaultTtlS = 12 * 60 * 60

interface TokenOptions {
  /** Defaults to the account's address if it is a demo account. Other accounts have none. */
  readonly email?: string
  readonly emailVerified?: boolean
  /** In seconds from now; 12 hours by default. A negative number creates an expired token. */
  readonly expiresIn?: number
}

export type MintToken = (accountId: string, options?: TokenOptions) => Promise<string>

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
      .setExpirationTime(now + (options.expiresIn ?? defaultTtlS))
      .sign(key.privateKey)
  }
