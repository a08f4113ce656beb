import type { Account } from '#migration/parity/run/account.ts'
import { defineScenario } from '#migration/parity/run/scenario.ts'
import type { ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createCancelledSubscriber, createSubscriber, waitForDeliveries } from './fixtures/billing.ts'
import { createTrack } from './fixtures/libraries.ts'

const order = { planId: 'studio', returnPath: '/billing' }

/** Changes to a stored subscription that the billing provider does not know about. */
const outdatedRows = [
  ['plan', `plan_id = 'starter'`],
  ['status', `status = 'past_due'`],
  ['end', `status = 'canceled'`],
  ['cancellation', 'cancel_at_period_end = not cancel_at_period_end'],
  ['period', `current_period_end = '2020-01-01'`],
  ['missing period', 'current_period_end = null'],
  ['subscription', `billing_subscription_id = concat('sub_', account_id)`],
  ['missing subscription', 'billing_subscription_id = null'],
  ['revision', 'revision = revision + 7'],
] as const

const changeSubscription = async (context: ScenarioContext, subscriber: Account, change: string) => {
  await waitForDeliveries(subscriber)
  await context.changeRows(`update subscriptions set ${change} where account_id = $1`, [subscriber.accountId])
  return subscriber
}

const grantedStatuses = ['active', 'trialing', 'past_due', 'unpaid', 'incomplete', 'canceled'] as const

/** Creates an account whose plan an operator granted, so it is not a customer of the billing provider. */
const createGrantedAccount = async (context: ScenarioContext, status: string) => {
  const account = await context.account()
  await context.changeRows(
    `insert into subscriptions (account_id, plan_id, status, cancel_at_period_end, current_period_end)
      values ($1, 'pro', $2, true, '2999-12-31')`,
    [account.accountId, status],
  )
  return account
}

/**
 * Scenarios for subscriptions whose stored state differs from the billing provider's, or that the provider does not
 * know.
 */
export const storedSubscriptions = [
  ...outdatedRows.flatMap(([title, change]) => [
    defineScenario('billing.resume', 200, `corrects an outdated ${title}`, async (context) => ({
      as: await changeSubscription(context, await createSubscriber(context), change),
    })),
    defineScenario('billing.cancel', 200, `corrects an outdated ${title}`, async (context) => ({
      as: await changeSubscription(context, await createCancelledSubscriber(context), change),
    })),
    defineScenario('billing.change-plan', 200, `corrects an outdated ${title}`, async (context) => ({
      as: await changeSubscription(context, await createSubscriber(context), change),
      body: { ...order, planId: 'pro' },
    })),
    defineScenario(
      'billing.checkout',
      409,
      `rejects an account with an outdated ${title}`,
      async (context) => ({
        as: await changeSubscription(context, await createSubscriber(context), change),
        body: order,
      }),
    ),
    defineScenario('billing.status', 200, `returns a stored ${title}`, async (context) => ({
      as: await changeSubscription(context, await createSubscriber(context), change),
    })),
  ]),

  ...grantedStatuses.flatMap((status) => [
    defineScenario('billing.status', 200, `returns a granted plan that is ${status}`, async (context) => ({
      as: await createGrantedAccount(context, status),
    })),
    ...(['billing.cancel', 'billing.resume'] as const).map((label) =>
      defineScenario(label, 409, `rejects a granted plan that is ${status}`, async (context) => ({
        as: await createGrantedAccount(context, status),
      })),
    ),
    defineScenario('billing.portal', 409, `rejects a granted plan that is ${status}`, async (context) => ({
      as: await createGrantedAccount(context, status),
      body: { returnPath: '/billing' },
    })),
  ]),
  ...(['billing.checkout', 'billing.change-plan'] as const).flatMap((label) => [
    ...(['active', 'trialing', 'past_due', 'unpaid'] as const).map((status) =>
      defineScenario(label, 409, `rejects a granted plan that is ${status}`, async (context) => ({
        as: await createGrantedAccount(context, status),
        body: order,
      })),
    ),
    ...(['incomplete', 'canceled'] as const).map((status) =>
      defineScenario(
        label,
        label === 'billing.checkout' ? 201 : 200,
        `starts a checkout after a granted plan that is ${status}`,
        async (context) => ({ as: await createGrantedAccount(context, status), body: order }),
      ),
    ),
  ]),
  ...(['active', 'trialing', 'past_due'] as const).map((status) =>
    defineScenario('tracks.share-links.create', 201, `accepts a plan that is ${status}`, async (context) => {
      const owner = await createGrantedAccount(context, status)
      return { as: owner, params: { trackId: (await createTrack(owner)).id }, body: {} }
    }),
  ),
  ...(['unpaid', 'incomplete', 'canceled'] as const).map((status) =>
    defineScenario(
      'tracks.share-links.create',
      403,
      `does not accept a plan that is ${status}`,
      async (context) => {
        const owner = await createGrantedAccount(context, status)
        return { as: owner, params: { trackId: (await createTrack(owner)).id }, body: {} }
      },
    ),
  ),
]
