import { describe, expect, it } from 'vitest'
import { createStripeBilling } from '#gateway/adapters/billing-stripe/billing-stripe.ts'
import { readBillingOptions } from '#gateway/settings/billing-options.ts'
import { reconcileAccount } from '#native-routes/billing/reconcile-account.ts'
import { syncSubscription } from '#native-routes/billing/sync-subscription.ts'
import { billingEvent, buy, deliver } from '#test/support/billing.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('an answer of the provider', () => {
  const gateway = startTestGateway({ billing: true })

  const connect = () => {
    const appOrigin = () => 'https://app.test'
    return createStripeBilling({ ...readBillingOptions(gateway.settings), appOrigin }).connect()!
  }
  const ports = () => {
    const { db: database } = gateway.database
    const tx = (work: Parameters<typeof database.transaction>[0]) => database.transaction(work)
    return { db: { read: database, tx }, log: gateway.log } as Parameters<typeof syncSubscription>[2]
  }

  /** Asks about an account, and holds the first answer until it is let go. */
  const askSlowly = async (accountId: string, customerId: string) => {
    const [given, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const provider = connect()
    const slow: typeof provider = {
      ...provider,
      async listSubscriptions(id) {
        const answer = await provider.listSubscriptions(id)
        given.resolve()
        await free.promise
        return answer
      },
    }
    const settled = syncSubscription({ accountId, customerId }, slow, ports(), async () => 'settled')
    await given.promise
    return () => {
      free.resolve()
      return settled
    }
  }

  it.each([
    [
      'an event',
      async (customer: string) => {
        const event = billingEvent('invoice.paid', { customer, subscription: 'sub_of_the_invoice' })
        expect((await deliver(gateway, event)).body.status).toBe('processed')
      },
    ],
    [
      'a comparison',
      async (_: string, accountId: string) => {
        expect(await reconcileAccount(accountId, connect(), ports())).toBeNull()
      },
    ],
  ])(
    'that is slow on its way does not undo what %s heard since, though that was no news',
    async (_, hear) => {
      const account = await gateway.signUp({ plan: 'free' })
      const { billingSubscriptionId: id, billingCustomerId: customer } = await buy(gateway, account)
      gateway.billing.deliveries.deliverTo(null)
      gateway.billing.ledger.change(id, { status: 'unpaid' })
      const release = await askSlowly(account.accountId, customer)
      gateway.billing.ledger.change(id, { status: 'active' })
      await hear(customer, account.accountId)
      await release()
      expect((await account.get('/v1/billing/status')).body.status).toBe('active')
      gateway.billing.deliveries.deliverTo(`${gateway.url}/v1/webhooks/billing`)
      await gateway.billing.deliveries.settled()
    },
  )

  it('is taken over at once where the account has had to do with billing never before', async () => {
    const provider = connect()
    let asked = 0
    const counted: typeof provider = {
      ...provider,
      listSubscriptions(id) {
        asked += 1
        return provider.listSubscriptions(id)
      },
    }
    const account = { accountId: crypto.randomUUID(), customerId: 'cus_of_nobody' }
    const { row } = await syncSubscription(account, counted, ports(), async (_, settled) => settled)
    const [kept] = await gateway.database
      .sql`select revision from subscriptions where account_id = ${account.accountId}`
    expect([asked, row.revision, kept?.revision]).toEqual([1, 1, 1])
  })
})
