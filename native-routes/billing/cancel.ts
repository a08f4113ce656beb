import { cancel } from '#contracts/billing.ts'
import { defineRoute } from '../define-route.ts'
import { syncCancellation } from './sync-cancellation.ts'

export const cancelSubscription = defineRoute(cancel, ({ actor }, ports) =>
  syncCancellation(actor, true, (provider, { id }) => provider.cancelAtPeriodEnd(id), ports),
)
