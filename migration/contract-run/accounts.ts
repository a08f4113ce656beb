import * as z from 'zod'
import type { Credentials } from './account.ts'
import { PreparationError } from './scenario.ts'
import type { AccountSource } from './scenario-context.ts'

type Mint = (
  accountId: string,
  claims: { readonly email: string; readonly emailVerified: boolean },
) => Promise<string>

/** Accounts that did not exist before, with tokens of an issuer whose key is at hand. */
export const freshAccounts = (mint: Mint): AccountSource => ({
  areFresh: true,
  open: async (_, { accountId, email, emailVerified }) => ({
    accountId,
    email,
    token: await mint(accountId, { email, emailVerified }),
  }),
})

const Claims = z.object({
  sub: z.string(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
})

interface GivenAccount extends Credentials {
  readonly emailVerified: boolean
}

// Who a token is of is read from it as it stands: whether it is good is for the two sides to say.
const accountOf = (token: string): GivenAccount => {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const { sub, email = null, email_verified: emailVerified = false } = Claims.parse(claims)
    return { accountId: sub, email, token, emailVerified }
  } catch {
    throw new Error('a token that was given is no JSON Web Token with a subject')
  }
}

const which = ['--token', '--other-token']

/** The accounts of the tokens that were given, in their order: no others are to be had. */
export const givenAccounts = (tokens: readonly string[]): AccountSource => {
  const accounts = tokens.map(accountOf)
  return {
    areFresh: false,
    open: async (place, { emailVerified }) => {
      const account = accounts[place]
      if (account === undefined)
        throw new PreparationError(`it needs ${place + 1} accounts: ${which[Math.min(place, 1)]}`)
      if (account.emailVerified !== emailVerified)
        throw new PreparationError(
          `it needs an account whose address is ${emailVerified ? '' : 'not '}verified`,
        )
      return account
    },
  }
}
