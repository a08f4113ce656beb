import { randomBytes } from 'node:crypto'
import type { Label } from '#contracts/route-table.ts'
import { isResponse } from '../diff/recorded-response.ts'
import { type Account, type AccountCredentials, createAccount } from './account.ts'
import { createRequest } from './request.ts'
import { PreparationError, type ScenarioRequest } from './scenario.ts'
import { type Aliases, observe, type Side } from './side.ts'
import { requirePlan, subscribe } from './subscribe.ts'

/** Provides the accounts of scenarios. */
export interface AccountSource {
  /** Whether each account is new. Otherwise its existing data shows in its lists. */
  readonly hasFreshAccounts: boolean
  /** The account with this index in a scenario; throws `PreparationError` if no account matches `wanted`. */
  open(index: number, wanted: WantedAccount): Promise<AccountCredentials>
}

interface WantedAccount {
  readonly accountId: string
  readonly email: string
  readonly emailVerified: boolean
}

interface AccountOptions {
  /** The plan to subscribe to; default: `free`. */
  readonly plan?: string
  /** Whether the e-mail address is verified; default: true. */
  readonly emailVerified?: boolean
}

/** What prepares a scenario on one side. */
export interface ScenarioContext {
  /** The side that prepares the scenario. */
  readonly side: Side
  account(options?: AccountOptions): Promise<Account>
  /** Makes a word unique to this context, for slugs and names that must not exist yet. */
  unique(word: string): string
  /** Repeats a request until the side returns 429. */
  requestUntilRateLimited(label: Label, request: ScenarioRequest): Promise<void>
}

interface ContextOptions {
  readonly side: Side
  /** The side that buys plans: only the side that receives the webhooks of the provider may know of a payment at once. */
  readonly billingSide: Side
  readonly source: AccountSource
  /** Text replacements in compared responses, in addition to the account ids of this context. */
  readonly aliases: Aliases
}

const maxRequests = 1000
const tooManyRequests = 429

/** Creates the context of one scenario on one side, and the aliases that make its responses comparable. */
export const createScenarioContext = ({ side, billingSide, source, aliases: shared }: ContextOptions) => {
  const nonce = randomBytes(6).toString('hex')
  const aliases: Aliases = [[nonce, '0'.repeat(nonce.length)], ...shared]
  let accounts = 0

  const account: ScenarioContext['account'] = async ({ plan = 'free', emailVerified = true } = {}) => {
    const index = accounts++
    const accountId = `acct_${nonce}_${index}`
    const email = `person${index}.${nonce}@example.test`
    const credentials = await source.open(index, { accountId, email, emailVerified })
    const opened = createAccount(credentials, (request) => observe(side, request, []))
    const customer = createAccount(credentials, (request) => observe(billingSide, request, []))
    if (plan !== 'free') await (source.hasFreshAccounts ? subscribe : requirePlan)(customer, plan)
    return opened
  }

  const requestUntilRateLimited: ScenarioContext['requestUntilRateLimited'] = async (label, request) => {
    const wireRequest = createRequest(label, request)
    for (let sent = 0; sent < maxRequests; sent++) {
      const response = await observe(side, wireRequest, [])
      if (isResponse(response) && response.status === tooManyRequests) return
    }
    throw new PreparationError(`${label} returned no 429 within ${maxRequests} requests`)
  }

  return {
    context: { side, account, requestUntilRateLimited, unique: (word: string) => `${word}-${nonce}` },
    aliases,
  }
}
