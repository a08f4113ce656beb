import type { StoredSubscription } from '#dev/sandbox/billing/billing-store.ts'
import { type SandboxBilling, startBillingProvider } from '#dev/sandbox/billing/start-billing.ts'
import { createStripeBilling } from '#gateway/adapters/billing-stripe/billing-stripe.ts'
import type { Random } from '#test/support/random-choices.ts'

export const secretKey = 'sk_of_the_storm'
export const webhookSecret = 'whsec_of_the_storm'

export const plans = [
  { id: 'free', name: 'Free', priceId: null, entitlements: {} },
  { id: 'starter', name: 'Starter', priceId: 'price_starter', entitlements: { 'tracks.share': 2 } },
  { id: 'pro', name: 'Pro', priceId: 'price_pro', entitlements: { 'tracks.share': true as const } },
]

export interface Subscriber {
  readonly accountId: string
  readonly customerId: string
}

/** Starts a billing provider that delivers no events itself. */
export const startProvider = () =>
  startBillingProvider({
    secretKey,
    webhookSecret,
    prices: [
      { id: 'price_starter', name: 'Starter', amount: 900 },
      { id: 'price_pro', name: 'Pro', amount: 1900 },
    ],
  })

export const subscribe = async (provider: SandboxBilling, number: number): Promise<Subscriber> => {
  const accountId = `acct_storm_${number}`
  const connected = createStripeBilling({
    secretKey,
    apiBase: provider.url,
    plans,
    appOrigin: () => 'http://localhost',
  }).connect()
  if (!connected) throw new Error('the provider is not configured')
  const customerId = await connected.createCustomer({ accountId, email: null })
  const order = {
    accountId,
    customerId,
    planId: 'pro',
    returnPath: '/',
    ordinal: 1,
    clickId: `click_${number}`,
  }
  const { url } = (await connected.openCheckout(order))!
  const paid = await fetch(`${url}/pay`, { method: 'POST', redirect: 'manual' })
  if (paid.status !== 303) throw new Error(`the checkout returned ${paid.status}`)
  return { accountId, customerId }
}

const listSubscriptions = ({ store: books }: SandboxBilling, { customerId }: Subscriber) =>
  Object.values(books.subscriptions).filter(({ customer }) => customer === customerId)

const isRunning = ({ status }: StoredSubscription) => status !== 'canceled'

export const findCurrentSubscription = (provider: SandboxBilling, subscriber: Subscriber) => {
  const own = listSubscriptions(provider, subscriber)
  return own.find(isRunning) ?? own.at(-1)
}

export const changeSubscription = (provider: SandboxBilling, subscriber: Subscriber, random: Random) => {
  const { lifecycle } = provider
  const own = listSubscriptions(provider, subscriber)
  const running = own.find(isRunning)
  const { accountId, customerId: customer } = subscriber
  const subscribeAgain = () => {
    lifecycle.subscribe({ customer, priceId: 'price_pro', metadata: { account_id: accountId } })
  }
  if (!running) return subscribeAgain()
  const { id, cancelAtPeriodEnd } = running
  const changes = [
    () => lifecycle.failPayment(id),
    () => lifecycle.change(id, { status: 'unpaid' }),
    () => lifecycle.change(id, { status: 'active', priceId: 'price_starter' }),
    () => lifecycle.change(id, { status: 'active', priceId: 'price_pro' }),
    () => lifecycle.change(id, { cancelAtPeriodEnd: !cancelAtPeriodEnd }),
    () => lifecycle.change(id, { cancelAtPeriodEnd: !cancelAtPeriodEnd }),
    () => {
      lifecycle.endPeriod(id)
      // If several end within one second, nothing shows which one is last.
      if (own.length > 1 && !own.some(isRunning)) subscribeAgain()
    },
  ]
  changes[random.below(changes.length)]?.()
}
