import { resume } from '#contracts/billing.ts'
import { defineRoute } from '../define-route.ts'
import { settleCancellation } from './settle-cancellation.ts'

export const resumeSubscription = defineRoute(resume, ({ actor }, ports) =>
  settleCancellation(actor, false, (provider, current) => provider.resume(current), ports),
)
