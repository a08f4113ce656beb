import { defineScenario } from '#migration/parity/run/scenario.ts'
import {
  createCancelledSubscriber,
  createDefaultedSubscriber,
  createEndedSubscriber,
  createImmediatelyCancelledSubscriber,
  createIncompleteSubscriber,
  createOftenEndedSubscriber,
  createPastDueSubscriber,
  createPausedSubscriber,
  createRenewedSubscriber,
  createReturningSubscriber,
  createSubscriber,
  createSubscriberCancelledAtProvider,
  createSubscriberWithEndDate,
  createSubscriberWithUnnoticedCancellation,
  createSubscriberWithUnnoticedPayment,
  createTrialSubscriber,
  createUnpaidCustomer,
  waitForCancellation,
} from './fixtures/billing.ts'

type BillingFields = Readonly<Record<string, unknown>>

const returnPath = '/settings/billing'
const order = { planId: 'studio', returnPath }

const returnPaths: readonly (readonly [title: string, path: string])[] = [
  ['the root path', '/'],
  ['a path with a query and a fragment', '/billing?from=upgrade&done=1#thanks'],
  ['a path with percent-encoding', '/billing%20page/%2F'],
  ['a path with non-Latin characters', '/الفوترة/請求'],
  ['a path of 2048 characters', `/${'a'.repeat(2047)}`],
  ['a path with a double slash inside', '/a//evil.example'],
]

const invalidPaths: readonly (readonly [title: string, path: unknown])[] = [
  ['another origin', 'https://evil.example/'],
  ['another host', '//evil.example'],
  ['another host with a backslash', '/\\evil.example'],
  ['a backslash inside the path', '/a\\b'],
  ['a relative path', 'settings'],
  ['a leading space', ' /settings'],
  ['a line break', '/settings\nset-cookie: a=b'],
  ['a delete character', '/settings\u007f'],
  ['a control character above ASCII', '/settings\u0085'],
  ['a tab before the second slash', '/\t/evil.example'],
  ['an empty path', ''],
  ['a path of 2049 characters', `/${'a'.repeat(2048)}`],
  ['a number', 7],
  ['null', null],
  ['a missing value', undefined],
]

const invalidPlans: readonly (readonly [title: string, fields: BillingFields])[] = [
  ['an unknown plan', { planId: 'platinum' }],
  ['the free plan', { planId: 'free' }],
  ['a price id as the plan', { planId: 'price_sandbox_pro' }],
  ['a plan in upper case', { planId: 'PRO' }],
  ['a prototype property as the plan', { planId: 'constructor' }],
  ['a missing plan', { planId: undefined }],
  ['an empty plan', { planId: ' ' }],
  ['an unknown plan of 100 characters', { planId: 'p'.repeat(100) }],
  ['a plan of 101 characters', { planId: 'p'.repeat(101) }],
  ['a number as the plan', { planId: 7 }],
  ['null as the plan', { planId: null }],
  ['an unknown field', { quantity: 2 }],
  ['a customer id', { billingCustomerId: 'cus_other' }],
]

type AccountCase = readonly [title: string, create: typeof createSubscriber]

const accountsWithoutSubscription: readonly AccountCase[] = [
  ['an account with an unpaid checkout', createUnpaidCustomer],
  ['an account with an immediately cancelled subscription', createImmediatelyCancelledSubscriber],
  ['an account with an ended subscription', createEndedSubscriber],
  ['an account with several ended subscriptions', createOftenEndedSubscriber],
]

const accountsWithSubscription: readonly AccountCase[] = [
  ['an active subscription', createSubscriber],
  ['a subscription cancelled at period end', createCancelledSubscriber],
  ['a past-due subscription', createPastDueSubscriber],
  ['a trial', createTrialSubscriber],
  ['an unpaid subscription', createDefaultedSubscriber],
  ['a paused subscription', createPausedSubscriber],
  ['a subscription with an end date', createSubscriberWithEndDate],
  ['a second subscription', createReturningSubscriber],
]

const statusOnlyAccounts: readonly AccountCase[] = [
  ['an account that never subscribed', ({ account }) => account()],
  ['a renewed subscription', createRenewedSubscriber],
  ['a subscription cancelled on the provider pages', createSubscriberCancelledAtProvider],
  ['a subscription whose first payment failed', createIncompleteSubscriber],
]

const labelsWithPlan = ['billing.checkout', 'billing.change-plan'] as const

export const billing = [
  ...[...statusOnlyAccounts, ...accountsWithoutSubscription, ...accountsWithSubscription].map(
    ([title, create]) =>
      defineScenario('billing.status', 200, `returns the status of ${title}`, async (context) => ({
        as: await create(context),
      })),
  ),

  ...returnPaths.map(([title, path]) =>
    defineScenario('billing.checkout', 201, `accepts as the return path: ${title}`, async ({ account }) => ({
      as: await account(),
      body: { planId: 'pro', returnPath: path },
    })),
  ),
  defineScenario(
    'billing.checkout',
    201,
    'does not send an unverified e-mail address to the provider',
    async ({ account }) => ({
      as: await account({ emailVerified: false }),
      body: order,
    }),
  ),
  defineScenario(
    'billing.checkout',
    201,
    'cancels a subscription whose first payment failed',
    async (context) => {
      const as = await createIncompleteSubscriber(context)
      return { as, body: order, settle: () => waitForCancellation(as) }
    },
  ),
  defineScenario(
    'billing.checkout',
    201,
    'detects a cancellation at the provider without a webhook',
    async (context) => ({
      as: await createSubscriberWithUnnoticedCancellation(context),
      body: order,
    }),
  ),
  defineScenario(
    'billing.checkout',
    409,
    'detects a payment at the provider without a webhook',
    async (context) => ({
      as: await createSubscriberWithUnnoticedPayment(context),
      body: order,
    }),
  ),
  defineScenario('billing.checkout', 201, 'trims the plan', async ({ account }) => ({
    as: await account(),
    body: { planId: ' pro ', returnPath },
  })),
  ...accountsWithoutSubscription.map(([title, create]) =>
    defineScenario('billing.checkout', 201, `creates a checkout for ${title}`, async (context) => ({
      as: await create(context),
      body: order,
    })),
  ),
  ...accountsWithSubscription.map(([title, create]) =>
    defineScenario('billing.checkout', 409, `rejects a checkout for ${title}`, async (context) => ({
      as: await create(context),
      body: order,
    })),
  ),

  ...labelsWithPlan.flatMap((label) => [
    ...invalidPaths.map(([title, path]) =>
      defineScenario(label, 400, `rejects as the return path: ${title}`, async ({ account }) => ({
        as: await account(),
        body: { planId: 'pro', returnPath: path },
      })),
    ),
    ...invalidPlans.map(([title, fields]) =>
      defineScenario(label, 400, `rejects ${title}`, async ({ account }) => ({
        as: await account(),
        body: { ...order, ...fields },
      })),
    ),
    defineScenario(label, 400, 'validates the plan before the subscription', async (context) => ({
      as: await createSubscriber(context),
      body: { ...order, planId: 'platinum' },
    })),
    defineScenario(label, 400, 'validates the path before the subscription', async (context) => ({
      as: await createSubscriber(context),
      body: { ...order, returnPath: '//' },
    })),
  ]),
]
