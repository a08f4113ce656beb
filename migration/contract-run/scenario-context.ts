import { randomBytes } from 'node:crypto'
import type { Label } from '#contracts/route-table.ts'
import { isResponse } from '../diff/recorded-response.ts'
import { type Account, type Credentials, createAccount } from './account.ts'
import { createRequest } from './request.ts'
import { PreparationError, type SendRequest } from './scenario.ts'
import { type Aliases, observe, type Side } from './side.ts'
import { requirePlan, subscribe } from './subscribe.ts'

/** Of whom tokens can be had. */
export interface AccountSource {
  /** Whether each account is a new one; else what it holds already shows in its lists. */
  readonly areFresh: boolean
  /** The `place`th account of a world; throws `CannotPrepare` where there is none like that. */
  open(place: number, wanted: WantedAccount): Promise<Credentials>
}

interface WantedAccount {
  readonly accountId: string
  readonly email: string
  readonly emailVerified: boolean
}

interface AccountOptions {
  /** The plan it is subscribed to; `free` unless given. */
  readonly plan?: string
  /** Whether its address counts as its own; it does unless said otherwise. */
  readonly emailVerified?: boolean
}

/** Where one scenario takes place on one side: accounts that nobody else has. */
export interface ScenarioContext {
  /** Where it was made. */
  readonly side: Side
  account(options?: AccountOptions): Promise<Account>
  /** A word that nobody else uses: for slugs, names and addresses that must be free. */
  unique(word: string): string
  /** Asks until the side says that it was asked too often. */
  exhaust(label: Label, ask: SendRequest): Promise<void>
}

interface WorldOptions {
  readonly side: Side
  /** Where plans are bought: the provider tells one side of what was paid, and that side alone may know it at once. */
  readonly seller: Side
  readonly source: AccountSource
  /** What makes two worlds look alike in what is compared, beside the names of their accounts. */
  readonly aliases: Aliases
}

const mostRequests = 1000
const tooManyRequests = 429

/** A world on one side, and what stands for its names in what is compared. */
export const createScenarioContext = ({ side, seller, source, aliases: shared }: WorldOptions) => {
  const nonce = randomBytes(6).toString('hex')
  const aliases: Aliases = [[nonce, '0'.repeat(nonce.length)], ...shared]
  let accounts = 0

  const account: ScenarioContext['account'] = async ({ plan = 'free', emailVerified = true } = {}) => {
    const place = accounts++
    const accountId = `acct_${nonce}_${place}`
    const email = `person${place}.${nonce}@example.test`
    const credentials = await source.open(place, { accountId, email, emailVerified })
    const opened = createAccount(credentials, (request) => observe(side, request, []))
    const customer = createAccount(credentials, (request) => observe(seller, request, []))
    if (plan !== 'free') await (source.areFresh ? subscribe : requirePlan)(customer, plan)
    return opened
  }

  const exhaust: ScenarioContext['exhaust'] = async (label, ask) => {
    const request = createRequest(label, ask)
    for (let sent = 0; sent < mostRequests; sent++) {
      const answer = await observe(side, request, [])
      if (isResponse(answer) && answer.status === tooManyRequests) return
    }
    throw new PreparationError(`${label} has no limit within ${mostRequests} requests`)
  }

  return { world: { side, account, exhaust, unique: (word: string) => `${word}-${nonce}` }, aliases }
}
