import { scenario } from '../contract-run/scenario.ts'
import {
  aCutOffSubscriber,
  aFormerSubscriber,
  aLapsedSubscriber,
  aLatePayer,
  aLeavingCustomer,
  aLeavingSubscriber,
  aSubscriber,
  aWindowShopper,
  onProvider,
} from './fixtures/billing.ts'

type Make = typeof aSubscriber
type Maker = readonly [who: string, make: Make]

const returnPath = '/settings/billing'

const nobody: Make = ({ account }) => account()

const neverPaid: readonly Maker[] = [
  ['has bought nothing', nobody],
  ['has not paid yet', aWindowShopper],
]

const gone: readonly Maker[] = [
  ['has ended it at once', aFormerSubscriber],
  ['has left', aLapsedSubscriber],
]

const staying: readonly Maker[] = [
  ['pays', aSubscriber],
  ['pays late', aLatePayer],
]

const leaving: readonly Maker[] = [
  ['leaves', aLeavingSubscriber],
  ['leaves by the provider', aLeavingCustomer],
]

const back: Make = async (world) => {
  const subscriber = await aLeavingSubscriber(world)
  await subscriber.call('billing.resume')
  return subscriber
}

const switched: Make = async (world) => {
  const subscriber = await aSubscriber(world)
  await subscriber.call('billing.change-plan', { body: { planId: 'studio', returnPath } })
  return subscriber
}

const refusedPortals = [
  ['no path', {}],
  ['a bad path', { returnPath: '//evil.example' }],
  ['a plan', { returnPath, planId: 'pro' }],
  ['a customer of its choice', { returnPath, billingCustomerId: 'cus_somebody' }],
  ['null for a path', { returnPath: null }],
] as const

const needingTheProvider = [
  ['billing.checkout', { planId: 'studio', returnPath }],
  ['billing.change-plan', { planId: 'studio', returnPath }],
  ['billing.portal', { returnPath }],
  ['billing.cancel', undefined],
  ['billing.resume', undefined],
] as const

/** What becomes of a subscription: another plan, its end, and the end of that. */
export const billingSubscriptions = [
  ...[...neverPaid.slice(1), ...staying, ...leaving, ...gone].map(([who, make]) =>
    scenario('billing.portal', 200, `opens to whoever ${who}`, async (world) => ({
      as: await make(world),
      body: { returnPath },
    })),
  ),
  ...refusedPortals.map(([what, body]) =>
    scenario('billing.portal', 400, `refuses ${what}`, async (world) => ({ as: await nobody(world), body })),
  ),
  scenario('billing.portal', 409, 'is for customers alone', async (world) => ({
    as: await nobody(world),
    body: { returnPath },
  })),

  ...[...neverPaid, ...gone].map(([who, make]) =>
    scenario('billing.change-plan', 200, `begins a checkout for whoever ${who}`, async (world) => ({
      as: await make(world),
      body: { planId: 'pro', returnPath },
    })),
  ),
  ...[...staying, ...leaving].flatMap(([who, make]) => [
    scenario('billing.change-plan', 200, `switches whoever ${who}`, async (world) => ({
      as: await make(world),
      body: { planId: 'studio', returnPath },
    })),
    scenario('billing.change-plan', 200, `leaves the plan of whoever ${who}`, async (world) => ({
      as: await make(world),
      body: { planId: 'pro', returnPath },
    })),
  ]),
  scenario('billing.change-plan', 200, 'switches down', async (world) => ({
    as: await switched(world),
    body: { planId: 'starter', returnPath },
  })),

  ...[...staying, ...leaving, ['came back', back] as const].flatMap(([who, make]) => [
    scenario('billing.cancel', 200, `ends the subscription of whoever ${who}`, async (world) => ({
      as: await make(world),
    })),
    scenario('billing.resume', 200, `keeps the subscription of whoever ${who}`, async (world) => ({
      as: await make(world),
    })),
  ]),
  ...(['billing.cancel', 'billing.resume'] as const).flatMap((label) => [
    ...[...neverPaid, ...gone].map(([who, make]) =>
      scenario(label, 409, `has nothing to change for whoever ${who}`, async (world) => ({
        as: await make(world),
      })),
    ),
    scenario(label, 200, 'reads no body', async (world) => ({
      as: await aSubscriber(world),
      text: '{"at":',
    })),
    scenario(label, 409, 'knows at once of what has ended at the provider', async (world) => {
      const subscriber = await aSubscriber(world)
      await onProvider(subscriber, 'cancel-now')
      return { as: subscriber }
    }),
  ]),

  ...needingTheProvider.map(([label, body]) =>
    scenario(label, 503, 'says that the provider does not answer', async (world) => ({
      as: await aCutOffSubscriber(world),
      body,
    })),
  ),
  scenario('billing.status', 200, 'needs no provider', async (world) => ({
    as: await aCutOffSubscriber(world),
  })),
]
