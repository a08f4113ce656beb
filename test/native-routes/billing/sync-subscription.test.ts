import { describe, expect, it } from 'vitest'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { findBillingAccount, saveBillingCustomer } from '#db/queries/billing/subscriptions.ts'
import { createStripeBilling } from '#gateway/adapters/billing-stripe/billing-stripe.ts'
import { readBillingOptions } from '#gateway/settings/billing.ts'
import { reconcileAccount } from '#native-routes/billing/reconcile-account.ts'
import {
  saveProviderResponse,
  syncAccount,
  syncSubscription,
} from '#native-routes/billing/sync-subscription.ts'
import { buyPlan, createBillingEvent, deliverBillingEvent } from '#test/support/billing.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('syncSubscription', () => {
  const gateway = startTestGateway({ billing: true })

  const connect = () => {
    const appOrigin = () => 'https://app.test'
    return createStripeBilling(readBillingOptions(gateway.settings, appOrigin)).connect()!
  }
  const ports = () => {
    const { db } = gateway.database
    return { db: createDatabasePort({ db, reader: db }), log: gateway.log }
  }

  /** Begins to sync an account. The sync gets the provider's response only once the returned function is called. */
  const syncSlowly = async (accountId: string, customerId: string) => {
    const [responded, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const provider = connect()
    const slow: typeof provider = {
      ...provider,
      async listSubscriptions(id) {
        const response = await provider.listSubscriptions(id)
        responded.resolve()
        await released.promise
        return response
      },
    }
    const synced = syncSubscription({ accountId, customerId }, slow, ports(), async () => 'synced')
    await responded.promise
    return () => {
      released.resolve()
      return synced
    }
  }

  it.each([
    [
      'an event',
      async (customer: string) => {
        const event = createBillingEvent('invoice.paid', { customer, subscription: 'sub_of_the_invoice' })
        expect((await deliverBillingEvent(gateway, event)).body.status).toBe('processed')
      },
    ],
    [
      'a comparison',
      async (_: string, accountId: string) => {
        expect(await reconcileAccount(accountId, connect(), ports())).toMatchObject({ change: null })
      },
    ],
  ])('does not let a delayed response overwrite a newer one read for %s', async (_, syncAgain) => {
    const account = await gateway.signUp({ plan: 'free' })
    const { billingSubscriptionId: id, billingCustomerId: customer } = await buyPlan(gateway, account)
    gateway.billing.deliveries.setEndpoint(null)
    gateway.billing.lifecycle.change(id, { status: 'unpaid' })
    const release = await syncSlowly(account.accountId, customer)
    gateway.billing.lifecycle.change(id, { status: 'active' })
    await syncAgain(customer, account.accountId)
    await release()
    expect((await account.get('/v1/billing/status')).body.status).toBe('active')
    gateway.billing.deliveries.setEndpoint(`${gateway.url}/v1/webhooks/billing`)
    await gateway.billing.deliveries.waitUntilIdle()
  })

  it('follows a customer that replaced the deleted one meanwhile', async () => {
    const { accountId, ...account } = await gateway.signUp({ plan: 'free' })
    const { billingCustomerId: customer } = await buyPlan(gateway, { accountId, ...account })
    const { db } = gateway.database
    const row = await findBillingAccount(db, accountId)
    const provider = connect()
    const replacing: typeof provider = {
      ...provider,
      async listSubscriptions(id) {
        if (id === customer) {
          const replacement = await provider.createCustomer({ accountId, email: null, replaces: id })
          await db.transaction((tx) => saveBillingCustomer(tx, accountId, replacement, id))
        }
        return provider.listSubscriptions(id)
      },
    }
    const synced = await syncAccount({ ...row!, billingCustomerId: customer }, replacing, ports())
    expect(synced.row.billingCustomerId).not.toBe(customer)
    expect(synced.row).toEqual(await findBillingAccount(db, accountId))
  })

  it('does not save a response about a customer that was replaced after the request', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { accountId } = account
    const { billingSubscriptionId: id, billingCustomerId: customer } = await buyPlan(gateway, account)
    const { db } = gateway.database
    const known = await findBillingAccount(db, accountId)
    const provider = connect()
    const response = await provider.findSubscription(id)
    const replacement = await provider.createCustomer({ accountId, email: null, replaces: customer })
    await db.transaction((tx) => saveBillingCustomer(tx, accountId, replacement, customer))
    const saved = await saveProviderResponse(known!, response!, provider, ports())
    expect(saved).toMatchObject({ billingCustomerId: replacement, status: 'canceled' })
    expect(await findBillingAccount(db, accountId)).toEqual(saved)
  })

  it('uses a single request to sync an account that has no row yet', async () => {
    const provider = connect()
    let requests = 0
    const counted: typeof provider = {
      ...provider,
      listSubscriptions(id) {
        requests += 1
        return provider.listSubscriptions(id)
      },
    }
    const accountId = crypto.randomUUID()
    const account = { accountId, customerId: await provider.createCustomer({ accountId, email: null }) }
    const { row } = await syncSubscription(account, counted, ports(), async (_, synced) => synced)
    const [stored] = await gateway.database
      .sql`select revision from subscriptions where account_id = ${account.accountId}`
    expect([requests, row.revision, stored?.revision]).toEqual([1, 1, 1])
  })
})
