import { defineScenario } from '#migration/parity/run/scenario.ts'
import {
  changeAtProvider,
  createCancelledSubscriber,
  createCancelledSubscriberWithoutWebhooks,
  createDefaultedSubscriber,
  createEndedSubscriber,
  createImmediatelyCancelledSubscriber,
  createIncompleteSubscriber,
  createOftenEndedSubscriber,
  createPastDueSubscriber,
  createPausedSubscriber,
  createReturningSubscriber,
  createSubscriber,
  createSubscriberCancelledAtProvider,
  createSubscriberWithEndDate,
  createSubscriberWithoutWebhooks,
  createSubscriberWithProviderOutage,
  createSubscriberWithUnnoticedCancellation,
  createSubscriberWithUnnoticedPayment,
  createTrialSubscriber,
  createUnpaidCustomer,
  waitForCancellation,
} from './fixtures/billing.ts'

type CreateSubscriptionAccount = typeof createSubscriber
type SubscriptionAccountCase = readonly [title: string, create: CreateSubscriptionAccount]

const returnPath = '/settings/billing'

const createAccountWithoutSubscription: CreateSubscriptionAccount = ({ account }) => account()

const unpaidAccounts: readonly SubscriptionAccountCase[] = [
  ['an account that never subscribed', createAccountWithoutSubscription],
  ['an account with an unpaid checkout', createUnpaidCustomer],
]

const endedSubscriptions: readonly SubscriptionAccountCase[] = [
  ['an account with an immediately cancelled subscription', createImmediatelyCancelledSubscriber],
  ['an account with an ended subscription', createEndedSubscriber],
  ['an account with several ended subscriptions', createOftenEndedSubscriber],
]

const activeSubscriptions: readonly SubscriptionAccountCase[] = [
  ['an active subscription', createSubscriber],
  ['a past-due subscription', createPastDueSubscriber],
  ['a trial', createTrialSubscriber],
  ['an unpaid subscription', createDefaultedSubscriber],
  ['a paused subscription', createPausedSubscriber],
  ['a second subscription', createReturningSubscriber],
  ['a subscription that was paid without a webhook', createSubscriberWithUnnoticedPayment],
]

const cancelledSubscriptions: readonly SubscriptionAccountCase[] = [
  ['a subscription cancelled at period end', createCancelledSubscriber],
  ['a subscription cancelled on the provider pages', createSubscriberCancelledAtProvider],
  ['a subscription with an end date', createSubscriberWithEndDate],
]

const returnPathWithQuery = '/billing?from=upgrade&done=1#thanks'

const createResumedSubscriber: CreateSubscriptionAccount = async (context) => {
  const subscriber = await createCancelledSubscriber(context)
  await subscriber.call('billing.resume')
  return subscriber
}

const createSwitchedSubscriber: CreateSubscriptionAccount = async (context) => {
  const subscriber = await createSubscriber(context)
  await subscriber.call('billing.change-plan', { body: { planId: 'studio', returnPath } })
  return subscriber
}

const invalidPortalBodies = [
  ['a missing path', {}],
  ['another host as the path', { returnPath: '//evil.example' }],
  ['a plan id', { returnPath, planId: 'pro' }],
  ['a customer id', { returnPath, billingCustomerId: 'cus_other' }],
  ['null as the path', { returnPath: null }],
] as const

const providerRequests = [
  ['billing.checkout', { planId: 'studio', returnPath }],
  ['billing.change-plan', { planId: 'studio', returnPath }],
  ['billing.portal', { returnPath }],
  ['billing.cancel', undefined],
  ['billing.resume', undefined],
] as const

export const billingSubscriptions = [
  // The portal depends only on the customer, so a few subscriptions are enough.
  ...[
    ...unpaidAccounts.slice(1),
    ...activeSubscriptions.slice(0, 2),
    ...cancelledSubscriptions,
    ...endedSubscriptions,
  ].map(([title, create]) =>
    defineScenario('billing.portal', 200, `opens the portal for ${title}`, async (context) => ({
      as: await create(context),
      body: { returnPath },
    })),
  ),
  defineScenario('billing.portal', 200, 'returns to a path with a query and a fragment', async (context) => ({
    as: await createUnpaidCustomer(context),
    body: { returnPath: returnPathWithQuery },
  })),
  ...invalidPortalBodies.map(([title, body]) =>
    defineScenario('billing.portal', 400, `rejects ${title}`, async (context) => ({
      as: await createAccountWithoutSubscription(context),
      body,
    })),
  ),
  defineScenario('billing.portal', 409, 'requires a billing customer', async (context) => ({
    as: await createAccountWithoutSubscription(context),
    body: { returnPath },
  })),

  ...[...unpaidAccounts, ...endedSubscriptions].map(([title, create]) =>
    defineScenario('billing.change-plan', 200, `starts a checkout for ${title}`, async (context) => ({
      as: await create(context),
      body: { planId: 'pro', returnPath },
    })),
  ),
  ...[...activeSubscriptions, ...cancelledSubscriptions].flatMap(([title, create]) => [
    defineScenario('billing.change-plan', 200, `switches the plan of ${title}`, async (context) => ({
      as: await create(context),
      body: { planId: 'studio', returnPath },
    })),
    defineScenario('billing.change-plan', 200, `keeps the current plan of ${title}`, async (context) => ({
      as: await create(context),
      body: { planId: 'pro', returnPath },
    })),
  ]),
  defineScenario(
    'billing.change-plan',
    200,
    'starts a checkout that returns to a path with a query, without an unverified e-mail address',
    async ({ account }) => ({
      as: await account({ emailVerified: false }),
      body: { planId: 'pro', returnPath: returnPathWithQuery },
    }),
  ),
  defineScenario(
    'billing.change-plan',
    200,
    'cancels a subscription whose first payment failed',
    async (context) => {
      const as = await createIncompleteSubscriber(context)
      return { as, body: { planId: 'studio', returnPath }, settle: () => waitForCancellation(as) }
    },
  ),
  defineScenario(
    'billing.change-plan',
    200,
    'detects a cancellation at the provider without a webhook',
    async (context) => ({
      as: await createSubscriberWithUnnoticedCancellation(context),
      body: { planId: 'studio', returnPath },
    }),
  ),
  defineScenario('billing.change-plan', 200, 'stores the new plan without a webhook', async (context) => ({
    as: await createSubscriberWithoutWebhooks(context),
    body: { planId: 'studio', returnPath },
  })),
  defineScenario('billing.cancel', 200, 'stores the cancellation without a webhook', async (context) => ({
    as: await createSubscriberWithoutWebhooks(context),
  })),
  defineScenario('billing.resume', 200, 'stores the resumption without a webhook', async (context) => ({
    as: await createCancelledSubscriberWithoutWebhooks(context),
  })),
  defineScenario('billing.change-plan', 200, 'switches to a cheaper plan', async (context) => ({
    as: await createSwitchedSubscriber(context),
    body: { planId: 'starter', returnPath },
  })),

  ...[
    ...activeSubscriptions,
    ...cancelledSubscriptions,
    ['a resumed subscription', createResumedSubscriber] as const,
  ].flatMap(([title, create]) => [
    defineScenario('billing.cancel', 200, `cancels ${title}`, async (context) => ({
      as: await create(context),
    })),
    defineScenario('billing.resume', 200, `resumes ${title}`, async (context) => ({
      as: await create(context),
    })),
  ]),
  ...(['billing.cancel', 'billing.resume'] as const).flatMap((label) => [
    ...[
      ...unpaidAccounts,
      ...endedSubscriptions,
      ['a subscription whose first payment failed', createIncompleteSubscriber] as const,
    ].map(([title, create]) =>
      defineScenario(label, 409, `rejects ${title}`, async (context) => ({
        as: await create(context),
      })),
    ),
    defineScenario(label, 200, 'ignores the body', async (context) => ({
      as: await createSubscriber(context),
      text: '{"at":',
    })),
    defineScenario(
      label,
      409,
      'detects a cancellation at the provider before the webhook',
      async (context) => {
        const subscriber = await createSubscriber(context)
        await changeAtProvider(subscriber, 'cancel-now')
        return { as: subscriber }
      },
    ),
  ]),

  ...providerRequests.map(([label, body]) =>
    defineScenario(label, 503, 'reports an unavailable billing provider', async (context) => ({
      as: await createSubscriberWithProviderOutage(context),
      body,
    })),
  ),
  defineScenario('billing.status', 200, 'does not depend on the billing provider', async (context) => ({
    as: await createSubscriberWithProviderOutage(context),
  })),
]
