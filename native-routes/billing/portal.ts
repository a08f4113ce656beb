import { portal } from '#contracts/billing.ts'
import { ApiError } from '#contracts/errors.ts'
import { findBillingAccount } from '#db/queries/billing/subscriptions.ts'
import { defineRoute } from '../define-route.ts'
import { hasBillingCustomer } from './ensure-customer.ts'
import { requireProvider } from './require-provider.ts'

export const openBillingPortal = defineRoute(portal, async ({ actor, body }, ports) => {
  const provider = requireProvider(ports)
  const row = await findBillingAccount(ports.db.read, actor.accountId)
  const session = hasBillingCustomer(row)
    ? await provider.openPortal(row.billingCustomerId, body.returnPath)
    : null
  if (!session) throw new ApiError('billing_bad_input', { reason: 'no_customer' }, { status: 409 })
  return session
})
