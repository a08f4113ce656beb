import type { Label } from '#contracts/route-table.ts'
import { tooManyRequests } from '../../diff/incomparable.ts'
import { isResponse } from '../../diff/recorded-response.ts'
import { type Account, type AccountCredentials, createAccount, requirePlan, subscribe } from './account.ts'
import { sendAndAlias, withoutAliases } from './prepared-ids.ts'
import type { ReadProviders } from './provider-records.ts'
import { NeedsRowsError, PreparationError, type ScenarioRequest } from './scenario.ts'
import type { Session } from './session.ts'
import type { Aliases, ComparedSide } from './side.ts'

export interface AccountSource {
  /** Whether each account is new. If not, lists also contain the account's earlier data. */
  readonly hasFreshAccounts: boolean
  /** Returns the account with this index in a scenario. Throws `PreparationError` if no account matches `wanted`. */
  open(index: number, wanted: WantedAccount): Promise<AccountCredentials>
}

interface WantedAccount {
  readonly accountId: string
  readonly email: string
  readonly emailVerified: boolean | 'either'
}

interface AccountOptions {
  readonly plan?: string
  readonly emailVerified?: boolean | 'either'
}

/** Changes rows that both sides read. `values` are the parameters `$1`, `$2` and so on. */
type ChangeRows = (statement: string, values: readonly string[]) => Promise<void>

export interface ScenarioContext {
  readonly side: ComparedSide
  account(options?: AccountOptions): Promise<Account>
  unique(word: string): string
  /** Runs `work`, which creates resources that several scenarios use. They are removed at the end of the run. */
  keep<T>(work: () => Promise<T>): Promise<T>
  /**
   * Stores what no route can store, such as a hidden tag. Throws `NeedsRowsError` unless the database belongs to the
   * run.
   */
  readonly changeRows: ChangeRows
  requestUntilRateLimited(label: Label, request: ScenarioRequest): Promise<void>
}

export interface Deployments {
  readonly native: ComparedSide
  readonly core: ComparedSide
  readonly accounts: AccountSource
  readonly session: Session
  readonly hasSharedState: boolean
  readonly changeRows?: ChangeRows
  readonly readProviders?: ReadProviders
}

const rejectChangeOfRows = async () => {
  throw new NeedsRowsError('no route stores what this scenario needs, so only a contract run can prepare it')
}

const maxRequests = 1000

export const createScenarioContext = (
  { native, core, session, accounts: source, hasSharedState, changeRows = rejectChangeOfRows }: Deployments,
  side: ComparedSide,
) => {
  const createNonce = () => session.createNonce(side)
  const nonce = createNonce()
  // Either side may include its own URL in a response.
  const origins = [native, core].map(({ origin }) => [origin, 'http://gateway.test'] as const)
  const aliases: Aliases[number][] = [...session.aliases, ...origins]
  // Unless both sides share their state, a subscription on one side does not exist on the other. If they do, plans are
  // bought on native, because the core doesn't get the provider's webhooks and may not learn of a payment immediately.
  const billingSide = hasSharedState ? native : side
  let accounts = 0

  const account: ScenarioContext['account'] = async ({ plan = 'free', emailVerified = true } = {}) => {
    const index = accounts++
    const accountId = `acct_${nonce}_${index}`
    const email = `person${index}.${nonce}@example.test`
    const credentials = await source.open(index, { accountId, email, emailVerified })
    const openOn = (served: ComparedSide) =>
      createAccount(credentials, {
        side: served.name,
        send: (label, request) => sendAndAlias(label, () => session.send(served, label, request)),
        createNonce,
      })
    const [opened, customer] = [openOn(side), openOn(billingSide)]
    if (plan !== 'free') await (source.hasFreshAccounts ? subscribe : requirePlan)(customer, plan)
    return opened
  }

  const requestUntilRateLimited: ScenarioContext['requestUntilRateLimited'] = async (label, request) => {
    if (!session.permissions.irreversible)
      throw new PreparationError('no route undoes an exhausted rate limit: add --irreversible')
    for (let sent = 0; sent < maxRequests; sent++) {
      const response = await session.send(side, label, request)
      if (isResponse(response) && response.status === tooManyRequests) return
    }
    throw new PreparationError(`${label} returned no 429 within ${maxRequests} requests`, {
      label,
      side: side.name,
      status: null,
    })
  }

  return {
    nonce,
    context: {
      side,
      account,
      changeRows,
      requestUntilRateLimited,
      unique: (word: string) => `${word}-${nonce}`,
      keep: <T>(work: () => Promise<T>) => session.journal.keepDuring(() => withoutAliases(work)),
    },
    aliases,
  }
}

/** Caches the result of `create` per side, for fixtures that are slow to create and are only read. */
export const memoizePerSide = <T>(create: (context: ScenarioContext) => Promise<T>) => {
  const cache = new WeakMap<ComparedSide, Promise<T>>()
  return (context: ScenarioContext): Promise<T> => {
    const result = cache.get(context.side) ?? context.keep(() => create(context))
    cache.set(context.side, result)
    return result
  }
}
