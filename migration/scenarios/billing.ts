import { scenario } from '../contract-run/scenario.ts'
import {
  aFormerSubscriber,
  aLapsedSubscriber,
  aLatePayer,
  aLeavingCustomer,
  aLeavingSubscriber,
  aRenewedSubscriber,
  aSubscriber,
  aWindowShopper,
} from './fixtures/billing.ts'

type Fields = Readonly<Record<string, unknown>>

const returnPath = '/settings/billing'
const order = { planId: 'studio', returnPath }

const returnPaths: readonly (readonly [what: string, path: string])[] = [
  ['the first page', '/'],
  ['a page with a query', '/billing?from=upgrade&done=1#thanks'],
  ['a page with an escape', '/billing%20page/%2F'],
  ['a page in another script', '/الفوترة/請求'],
  ['a page of 2048 characters', `/${'a'.repeat(2047)}`],
  ['a page that could be a host but for its place', '/a//evil.example'],
]

const refusedPaths: readonly (readonly [what: string, path: unknown])[] = [
  ['another origin', 'https://evil.example/'],
  ['another host', '//evil.example'],
  ['another host by a backslash', '/\\evil.example'],
  ['a backslash further on', '/a\\b'],
  ['a relative path', 'settings'],
  ['a path after a space', ' /settings'],
  ['a line break', '/settings\nset-cookie: a=b'],
  ['a tab ahead of a slash', '/\t/evil.example'],
  ['nothing', ''],
  ['a path of 2049 characters', `/${'a'.repeat(2048)}`],
  ['a number for a path', 7],
  ['null for a path', null],
  ['no path at all', undefined],
]

const refusedPlans: readonly (readonly [what: string, fields: Fields])[] = [
  ['a plan that nobody knows', { planId: 'platinum' }],
  ['the plan that costs nothing', { planId: 'free' }],
  ['a price for a plan', { planId: 'price_sandbox_pro' }],
  ['a plan in capitals', { planId: 'PRO' }],
  ['a name of the language for a plan', { planId: 'constructor' }],
  ['no plan', { planId: undefined }],
  ['an empty plan', { planId: ' ' }],
  ['a plan of 101 characters', { planId: 'p'.repeat(101) }],
  ['a number for a plan', { planId: 7 }],
  ['null for a plan', { planId: null }],
  ['what it does not know', { quantity: 2 }],
  ['a customer of its choice', { billingCustomerId: 'cus_somebody' }],
]

type Maker = readonly [who: string, make: typeof aSubscriber]

const buyers: readonly Maker[] = [
  ['has not paid yet', aWindowShopper],
  ['has ended it at once', aFormerSubscriber],
  ['has left', aLapsedSubscriber],
]

const subscribers: readonly Maker[] = [
  ['pays', aSubscriber],
  ['leaves', aLeavingSubscriber],
  ['pays late', aLatePayer],
]

const others: readonly Maker[] = [
  ['has bought nothing', ({ account }) => account()],
  ['has been charged again', aRenewedSubscriber],
  ['leaves by the provider', aLeavingCustomer],
]

const withPlan = ['billing.checkout', 'billing.change-plan'] as const

/** What an account has bought, and the pages on which it buys. */
export const billing = [
  ...[...others, ...buyers, ...subscribers].map(([who, make]) =>
    scenario('billing.status', 200, `tells of whoever ${who}`, async (world) => ({ as: await make(world) })),
  ),

  ...returnPaths.map(([what, path]) =>
    scenario('billing.checkout', 201, `leads back to ${what}`, async ({ account }) => ({
      as: await account(),
      body: { planId: 'pro', returnPath: path },
    })),
  ),
  scenario('billing.checkout', 201, 'takes spaces around a plan for nothing', async ({ account }) => ({
    as: await account(),
    body: { planId: ' pro ', returnPath },
  })),
  ...buyers.map(([who, make]) =>
    scenario('billing.checkout', 201, `sells to whoever ${who}`, async (world) => ({
      as: await make(world),
      body: order,
    })),
  ),
  ...subscribers.map(([who, make]) =>
    scenario('billing.checkout', 409, `sells nothing to whoever ${who}`, async (world) => ({
      as: await make(world),
      body: order,
    })),
  ),

  ...withPlan.flatMap((label) => [
    ...refusedPaths.map(([what, path]) =>
      scenario(label, 400, `leads back to no such thing: ${what}`, async ({ account }) => ({
        as: await account(),
        body: { planId: 'pro', returnPath: path },
      })),
    ),
    ...refusedPlans.map(([what, fields]) =>
      scenario(label, 400, `refuses ${what}`, async ({ account }) => ({
        as: await account(),
        body: { ...order, ...fields },
      })),
    ),
    scenario(label, 400, 'refuses a plan before it looks at the account', async (world) => ({
      as: await aSubscriber(world),
      body: { ...order, planId: 'platinum' },
    })),
    scenario(label, 400, 'refuses a path before it looks at the account', async (world) => ({
      as: await aSubscriber(world),
      body: { ...order, returnPath: '//' },
    })),
  ]),
]
