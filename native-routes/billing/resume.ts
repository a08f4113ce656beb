import { resume } from '#contracts/billing.ts'
import { defineRoute } from '../define-route.ts'
import { syncCancellation } from './sync-cancellation.ts'

export const resumeSubscription = defineRoute(resume, ({ actor }, ports) =>
  syncCancellation(actor, false, (provider, current) => provider.resume(current), ports),
)
