import { ApiError } from '#contracts/errors.ts'
import {
  type BillingAccount,
  findBillingAccount,
  saveBillingCustomer,
} from '#db/queries/billing/subscriptions.ts'
import { type Actor, type Ports, verifiedEmailOf } from '../ports.ts'
import { isLive } from './current-subscription.ts'
import type { BillingProvider } from './ports.ts'

type WithCustomer = BillingAccount & { readonly billingCustomerId: string }

export const hasBillingCustomer = (row: BillingAccount | null): row is WithCustomer =>
  row !== null && row.billingCustomerId !== null

/** The customer is saved before any purchase, so every later event can be matched to the account. */
export const ensureCustomer = async (
  actor: Actor,
  provider: BillingProvider,
  { db }: Pick<Ports, 'db'>,
): Promise<WithCustomer> => {
  const row = await findBillingAccount(db.read, actor.accountId)
  if (hasBillingCustomer(row)) return row
  // The plan was granted by hand, so there is nothing to change at the provider.
  if (isLive(row)) throw new ApiError('billing_bad_input', { reason: 'already_subscribed' }, { status: 409 })
  const { accountId } = actor
  const customerId = await provider.createCustomer({ accountId, email: verifiedEmailOf(actor) })
  return db.tx((tx) => saveBillingCustomer(tx, accountId, customerId))
}

/** Gives the account a new customer in place of one that was deleted at the provider. */
export const replaceCustomer = async (
  actor: Actor,
  deletedId: string,
  provider: BillingProvider,
  { db }: Pick<Ports, 'db'>,
): Promise<WithCustomer> => {
  const { accountId } = actor
  const account = { accountId, email: verifiedEmailOf(actor), replaces: deletedId }
  const customerId = await provider.createCustomer(account)
  return db.tx((tx) => saveBillingCustomer(tx, accountId, customerId, deletedId))
}
