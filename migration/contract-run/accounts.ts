import * as z from 'zod'
import type { AccountCredentials } from './account.ts'
import { PreparationError } from './scenario.ts'
import type { AccountSource } from './scenario-context.ts'

type SignAccountToken = (
  accountId: string,
  claims: { readonly email: string; readonly emailVerified: boolean },
) => Promise<string>

/** Opens new accounts, with tokens of `signToken`. */
export const createFreshAccountSource = (signToken: SignAccountToken): AccountSource => ({
  hasFreshAccounts: true,
  open: async (_, { accountId, email, emailVerified }) => ({
    accountId,
    email,
    token: await signToken(accountId, { email, emailVerified }),
  }),
})

const Claims = z.object({
  sub: z.string(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
})

interface TokenAccount extends AccountCredentials {
  readonly emailVerified: boolean
}

// The signature is not verified here: both sides verify the token on every request.
const parseAccount = (token: string): TokenAccount => {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const { sub, email = null, email_verified: emailVerified = false } = Claims.parse(claims)
    return { accountId: sub, email, token, emailVerified }
  } catch {
    throw new Error('a token of --token or --other-token is not a JSON Web Token with a `sub` claim')
  }
}

const flagNames = ['--token', '--other-token', 'another --other-token']

/** Opens the accounts of the given tokens, in order. Throws `PreparationError` if a scenario needs another one. */
export const createTokenAccountSource = (tokens: readonly string[]): AccountSource => {
  const accounts = tokens.map(parseAccount)
  return {
    hasFreshAccounts: false,
    open: async (index, { emailVerified }) => {
      const account = accounts[index]
      if (account === undefined)
        throw new PreparationError(
          `the scenario needs ${index + 1} accounts: add ${flagNames[Math.min(index, 2)]}`,
        )
      if (account.emailVerified !== emailVerified)
        throw new PreparationError(
          `the scenario needs an account with ${emailVerified ? 'a verified' : 'an unverified'} e-mail address: pass its token with --${index === 0 ? '' : 'other-'}token`,
        )
      return account
    },
  }
}
