import * as z from 'zod'
import { PreparationError } from './scenario.ts'
import type { AccountSource } from './scenario-context.ts'

type SignAccountToken = (
  accountId: string,
  claims: { readonly email: string; readonly emailVerified: boolean },
) => Promise<string>

export const createFreshAccountSource = (signToken: SignAccountToken): AccountSource => ({
  hasFreshAccounts: true,
  open: async (_, { accountId, email, emailVerified }) => ({
    accountId,
    email,
    token: await signToken(accountId, { email, emailVerified: emailVerified !== false }),
  }),
})

const Claims = z.object({
  sub: z.string(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
})

// Does not verify the token, because both sides verify it on every request.
const parseAccount = (token: string, variable: string) => {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const { sub, email = null, email_verified: emailVerified = false } = Claims.parse(claims)
    return { accountId: sub, email, token, emailVerified }
  } catch {
    throw new Error(`${variable} is not a JSON Web Token with a \`sub\` claim`)
  }
}

export const tokenVariable = (index: number) => `PARITY_TOKEN_${String.fromCharCode(65 + index)}`

const maxAccounts = 26

/** Returns the tokens from the environment, in order. Throws if one is missing between two others. */
export const readAccountTokens = (environment: Readonly<Record<string, string | undefined>>): string[] => {
  const variables = Array.from({ length: maxAccounts }, (_, index) => tokenVariable(index))
  const tokens = variables.map((variable) => environment[variable] || undefined)
  const count = tokens.findLastIndex((token) => token !== undefined) + 1
  return tokens.slice(0, count).map((token, index) => {
    if (token === undefined)
      throw new Error(`${variables[index]} is missing, but ${variables[count - 1]} is set`)
    return token
  })
}

export const createTokenAccountSource = (tokens: readonly string[]): AccountSource => {
  const accounts = tokens.map((token, index) => parseAccount(token, tokenVariable(index)))
  accounts.forEach(({ accountId }, index) => {
    const first = accounts.findIndex((other) => other.accountId === accountId)
    if (first !== index)
      throw new Error(`${tokenVariable(index)} belongs to the same account as ${tokenVariable(first)}`)
  })
  return {
    hasFreshAccounts: false,
    open: async (index, { emailVerified }) => {
      const account = accounts[index]
      if (account === undefined)
        throw new PreparationError(`the scenario needs ${index + 1} accounts: set ${tokenVariable(index)}`)
      if (emailVerified !== 'either' && account.emailVerified !== emailVerified)
        throw new PreparationError(
          `the scenario needs an account with ${emailVerified ? 'a verified' : 'an unverified'} e-mail address as ${tokenVariable(index)}`,
        )
      return account
    },
  }
}
