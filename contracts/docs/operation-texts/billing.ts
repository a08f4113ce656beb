import type { TextsOf } from './operation-text.ts'

export const billingTexts: TextsOf<'billing'> = {
  'billing.status': {
    summary: 'Read the plan and the subscription',
    description: "Returns the account's plan, the state of its subscription, and the plans it can choose.",
    success: 'The plan and the subscription.',
  },
  'billing.checkout': {
    summary: 'Start a subscription',
    description:
      'Creates a checkout session at the billing provider. Open its `url` in a browser, where the customer pays.',
    success: 'The session was created.',
    body: { planId: 'pro', returnPath: '/settings/billing' },
  },
  'billing.portal': {
    summary: 'Open the billing portal',
    description:
      'Creates a portal session, where the customer can manage cards and invoices. Open its `url` in a browser.',
    success: 'The session was created.',
    body: { returnPath: '/settings/billing' },
  },
  'billing.change-plan': {
    summary: 'Change the plan',
    description:
      'Switches a live subscription to a different plan immediately. Without a subscription, creates a checkout session, as `billing.checkout` does.',
    success:
      '`mode` is `switched` if the plan has changed, or `checkout` if the customer has to pay at `url` first.',
    body: { planId: 'pro', returnPath: '/settings/billing' },
  },
  'billing.cancel': {
    summary: 'Cancel at the end of the period',
    description: 'The subscription ends with its current period. Cancelling it again has no effect.',
    success: 'The subscription ends at `currentPeriodEnd`.',
  },
  'billing.resume': {
    summary: 'Undo a cancellation',
    description: 'The subscription continues after its current period. Resuming it again has no effect.',
    success: 'The subscription continues.',
  },
}
