import {
  createFreshAccountSource,
  createTokenAccountSource,
  tokenVariable,
} from '#migration/parity/run/accounts.ts'
import type { AccountSource } from '#migration/parity/run/scenario-context.ts'
import { readIssuerKey } from '../sandbox/issuer-key.ts'
import { createTokenMinter } from '../sandbox/mint-token.ts'

type Environment = Readonly<Record<string, string | undefined>>

const maxAccounts = 26
const variables = Array.from({ length: maxAccounts }, (_, index) => tokenVariable(index))

export const readParityTokens = (environment: Environment): string[] => {
  const tokens = variables.map((variable) => environment[variable] || undefined)
  const count = tokens.findLastIndex((token) => token !== undefined) + 1
  return tokens.slice(0, count).map((token, index) => {
    if (token === undefined)
      throw new Error(`${variables[index]} is missing, but ${variables[count - 1]} is set`)
    return token
  })
}

export const createParityAccounts = async (
  tokens: readonly string[],
  stateDir: string,
): Promise<AccountSource> => {
  if (tokens.length > 0) return createTokenAccountSource(tokens)
  const key = await readIssuerKey(stateDir).catch((error: Error) => {
    throw new Error(`${tokenVariable(0)} is not set and no token can be signed: ${error.message}`)
  })
  return createFreshAccountSource(createTokenMinter(key))
}
