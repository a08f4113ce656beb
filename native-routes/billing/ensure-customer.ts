import { ApiError } from '#contracts/errors.ts'
import { type BillingAccount, findBillingAccount, saveBillingCustomer } from '#db/queries/subscriptions.ts'
import type { Actor, Ports } from '../ports.ts'
import { isLive } from './current-subscription.ts'
import type { BillingProvider } from './ports.ts'

type WithCustomer = BillingAccount & { readonly billingCustomerId: string }

/** Whether the provider knows the account as a customer. */
export const isBillingCustomer = (row: BillingAccount | null): row is WithCustomer =>
  row !== null && row.billingCustomerId !== null

/**
 * The account's row with its customer, made at the provider where there is none. It is kept before anything can be
 * bought in its name, so that whatever the provider tells of the customer finds its account.
 */
export const ensureCustomer = async (
  actor: Actor,
  provider: BillingProvider,
  { db }: Pick<Ports, 'db'>,
): Promise<WithCustomer> => {
  const row = await findBillingAccount(db.read, actor.accountId)
  if (isBillingCustomer(row)) return row
  // Somebody gave the account its plan by hand; there is nothing at the provider to change.
  if (isLive(row)) throw new ApiError('billing_bad_input', { reason: 'already_subscribed' }, { status: 409 })
  const made = await provider.createCustomer(actor)
  return db.tx((tx) => saveBillingCustomer(tx, actor.accountId, made))
}
