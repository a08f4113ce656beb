import { describe, expect, it } from 'vitest'
import { processBillingEvent } from '#native-routes/webhooks/billing.ts'
import { createBillingEvent, deliverBillingEvent } from '#test/support/billing.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

type Named = 'none' | 'A' | 'B'
const names: readonly Named[] = ['none', 'A', 'B']

const combinations = names.flatMap((session) =>
  names.flatMap((subscription) =>
    names.flatMap((stored) => names.map((reference) => ({ session, subscription, stored, reference }))),
  ),
)

/** The owner named by our metadata and the stored customer, if they and the buyer's reference do not conflict. */
const expectedOwner = ({ session, subscription, stored, reference }: (typeof combinations)[number]) => {
  const [owner, ...others] = new Set([session, subscription, stored].filter((name) => name !== 'none'))
  const isContradicted = others.length > 0 || (reference !== 'none' && reference !== owner)
  return isContradicted ? undefined : owner
}

const newCustomerId = () => `cus_${crypto.randomUUID()}`

describe("a billing event's owner", () => {
  const gateway = startTestGateway({ billing: true })

  const warningsAbout = (subject: string) => gateway.database.sql`
    select name from operator_warnings where subject = ${subject}`
  const completed = (session: object) =>
    createBillingEvent('checkout.session.completed', { mode: 'subscription', ...session })
  const saveCustomer = ({ accountId }: TestAccount, customerId: string) => gateway.database.sql`
    insert into subscriptions (account_id, billing_customer_id) values (${accountId}, ${customerId})`
  const customerOf = async (account: TestAccount) =>
    (await account.get('/v1/billing/status')).body.billingCustomerId
  const outcomeOf = async (event: object) => (await deliverBillingEvent(gateway, event)).body.status

  const addToProvider = (id: string) => {
    gateway.billing.store.customers[id] = { id, created: 0, email: null, metadata: {} }
  }
  const subscribeAtProvider = (customer: string, metadata: Record<string, string>) => {
    addToProvider(customer)
    return gateway.billing.lifecycle.subscribe({ customer, priceId: 'price_pro', metadata }).id
  }

  it.each(combinations)(
    'is found if session $session, subscription $subscription, customer $stored, reference $reference agree',
    async (combination) => {
      gateway.billing.deliveries.setEndpoint(null)
      const accounts = {
        A: await gateway.signUp({ plan: 'free' }),
        B: await gateway.signUp({ plan: 'free' }),
      }
      const { session, subscription, stored, reference } = combination
      const metadataOf = (name: Named) => (name === 'none' ? {} : { account_id: accounts[name].accountId })
      const customer = newCustomerId()
      if (stored !== 'none') await saveCustomer(accounts[stored], customer)
      const event = completed({
        customer,
        subscription: subscribeAtProvider(customer, metadataOf(subscription)),
        metadata: metadataOf(session),
        ...(reference === 'none' ? {} : { client_reference_id: accounts[reference].accountId }),
      })

      const owner = expectedOwner(combination)
      expect(await outcomeOf(event)).toBe(owner === undefined ? 'unresolved_owner' : 'processed')
      expect(await warningsAbout(event.id)).toEqual(
        owner === undefined ? [{ name: 'billing_webhook_unresolved_owner' }] : [],
      )
      for (const name of ['A', 'B'] as const) {
        const isCustomer = name === owner || name === stored
        expect(await customerOf(accounts[name])).toBe(isCustomer ? customer : undefined)
        const { status } = (await accounts[name].get('/v1/billing/status')).body
        expect(status).toBe(name === owner ? 'active' : 'free')
      }
    },
  )

  it('is unresolved if the event has no customer', async () => {
    const event = completed({ customer: null, metadata: { account_id: 'acct_a' } })
    expect(await outcomeOf(event)).toBe('unresolved_owner')
  })

  it('is unresolved if the account in our metadata has a different customer', async () => {
    const [mine, theirs] = [await gateway.signUp({ plan: 'free' }), await gateway.signUp({ plan: 'free' })]
    const [myCustomer, theirCustomer] = [newCustomerId(), newCustomerId()]
    await saveCustomer(mine, myCustomer)
    await saveCustomer(theirs, theirCustomer)
    for (const customer of [theirCustomer, newCustomerId()]) {
      const event = completed({ customer, metadata: { account_id: mine.accountId } })
      expect(await outcomeOf(event)).toBe('unresolved_owner')
    }
    expect([await customerOf(mine), await customerOf(theirs)]).toEqual([myCustomer, theirCustomer])
  })

  it('raises one warning while it is unresolved, and is found on redelivery once the customer is saved', async () => {
    const customer = newCustomerId()
    const account = await gateway.signUp({ plan: 'free' })
    const event = completed({ customer, client_reference_id: account.accountId })
    expect([await outcomeOf(event), await outcomeOf(event)]).toEqual(['unresolved_owner', 'unresolved_owner'])
    expect(await warningsAbout(event.id)).toEqual([{ name: 'billing_webhook_unresolved_owner' }])
    const warned = gateway.log.lines.filter(({ fields }) => fields.subject === event.id)
    expect(warned).toMatchObject([
      {
        level: 'warn',
        message: 'operator warning stored',
        fields: {
          warning: 'billing_webhook_unresolved_owner',
          detail: expect.stringMatching(/^The owner of /),
        },
      },
    ])

    addToProvider(customer)
    await saveCustomer(account, customer)
    expect([await outcomeOf(event), await outcomeOf(event)]).toEqual(['processed', 'duplicate'])
  })
})

describe("a billing event's owner, if there is no provider API key", () => {
  const secret = 'whsec_of_the_tests'
  const gateway = startTestGateway({ environment: { BILLING_WEBHOOK_SECRET: secret } })

  it('is never found from a reference alone', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { accountId } = account
    const session = { mode: 'subscription', customer: newCustomerId(), client_reference_id: accountId }
    const deliver = async (object: object) =>
      (await deliverBillingEvent(gateway, createBillingEvent('checkout.session.completed', object))).body
        .status
    expect(await deliver(session)).toBe('unresolved_owner')
    expect(await deliver({ ...session, metadata: { account_id: accountId } })).toBe('processed')
  })

  it('keeps a customer that was saved while the event was being processed', async () => {
    const { accountId } = await gateway.signUp({ plan: 'free' })
    const [saved, late] = [newCustomerId(), newCustomerId()]
    await gateway.database.sql`
      insert into subscriptions (account_id, billing_customer_id) values (${accountId}, ${saved})`
    const event = {
      accountId,
      referenceId: null,
      customerId: late,
      subscriptionId: null,
      subscription: null,
      sale: null,
    }
    const process = gateway.database.db.transaction((tx) =>
      processBillingEvent(tx, { accountId, customerId: late }, event, new Date().toISOString()),
    )
    await expect(process).rejects.toThrow("the account's billing customer has changed")
  })
})
