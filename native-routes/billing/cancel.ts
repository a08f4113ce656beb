import { cancel } from '#contracts/billing.ts'
import { defineRoute } from '../define-route.ts'
import { settleCancellation } from './settle-cancellation.ts'

export const cancelSubscription = defineRoute(cancel, ({ actor }, ports) =>
  settleCancellation(actor, true, (provider, { id }) => provider.cancelAtPeriodEnd(id), ports),
)
