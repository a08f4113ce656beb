import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createReconciliationPort } from '#bin/process/reconciliation-port.ts'
import { createDubSales } from '#bin/process/start-jobs.ts'
import { ApiError } from '#contracts/errors.ts'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { reconcileNightly, reconcileSubscriptions } from '#jobs/billing/reconcile.ts'
import { reportSales } from '#jobs/billing/report-sales.ts'
import { buyPlan } from '#test/support/billing.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '#test/support/gateway.ts'

const getStatus = async (account: TestAccount) => (await account.get('/v1/billing/status')).body

const createPorts = (gateway: TestGateway) => {
  const { db } = gateway.database
  return { db: createDatabasePort({ db, reader: db }), log: gateway.log }
}

const subscribe = async (gateway: TestGateway) => {
  const account = await gateway.signUp({ plan: 'free' })
  const { billingSubscriptionId: id } = await buyPlan(gateway, account)
  return { account, id }
}

describe('billing reconciliation', () => {
  const gateway = startTestGateway({ billing: true })
  const ports = () => {
    const { db, log } = createPorts(gateway)
    return { db, log, billing: createReconciliationPort(gateway.settings, db, log) }
  }

  it('repairs and logs subscriptions that differ at the provider, and leaves the others unchanged', async () => {
    const [canceled, changed, unchanged] = [
      await subscribe(gateway),
      await subscribe(gateway),
      await subscribe(gateway),
    ]
    gateway.billing.deliveries.setEndpoint(null)
    gateway.billing.lifecycle.cancel(canceled.id)
    await gateway.database.sql`
      update subscriptions set plan_id = 'starter' where account_id = ${changed.account.accountId}`
    const counts = await reconcileSubscriptions(ports())
    expect(counts).toMatchObject({ repaired: 2, failed: 0 })
    expect(counts.checked).toBeGreaterThanOrEqual(3)
    expect((await getStatus(canceled.account)).status).toBe('canceled')
    expect((await getStatus(changed.account)).planId).toBe('pro')
    const linesOf = (accountId: string) =>
      gateway.log.lines.filter(({ fields }) => fields.accountId === accountId)
    expect(linesOf(changed.account.accountId)).toMatchObject([
      {
        level: 'warn',
        message: 'subscription repaired',
        fields: { before: { planId: 'starter' }, after: { planId: 'pro' } },
      },
    ])
    expect(linesOf(unchanged.account.accountId)).toEqual([])
    expect(await reconcileSubscriptions(ports())).toMatchObject({ repaired: 0 })
    gateway.billing.deliveries.setEndpoint(`${gateway.url}/v1/webhooks/billing`)
    await gateway.billing.deliveries.waitUntilIdle()
  })

  it('keeps the plan of a subscription whose price is unknown, and stores an operator warning', async () => {
    const { account, id } = await subscribe(gateway)
    gateway.billing.deliveries.setEndpoint(null)
    gateway.billing.lifecycle.change(id, { priceId: 'price_unknown', status: 'past_due' })
    const repaired = () => reconcileSubscriptions(ports())
    expect(await repaired()).toMatchObject({ repaired: 1, failed: 0 })
    expect(await getStatus(account)).toMatchObject({ planId: 'pro', status: 'past_due' })
    expect(await repaired()).toMatchObject({ repaired: 0, failed: 0 })
    const linesOf = (message: string) => gateway.log.lines.filter((line) => line.message === message)
    expect(linesOf('operator warning stored').map(({ fields }) => fields)).toEqual([
      {
        warning: 'billing_unknown_price',
        subject: id,
        detail: "A subscription's price belongs to no plan.",
      },
    ])
    expect(linesOf('subscriptions with unknown prices found').map(({ fields }) => fields)).toEqual([
      { count: 1, subscriptions: [id] },
      { count: 1, subscriptions: [id] },
    ])
    gateway.billing.lifecycle.change(id, { priceId: 'price_starter' })
    expect(await repaired()).toMatchObject({ repaired: 1 })
    expect((await getStatus(account)).planId).toBe('starter')
    gateway.billing.deliveries.setEndpoint(`${gateway.url}/v1/webhooks/billing`)
  })

  it('changes nothing for a customer that the provider has never had', async () => {
    const { account } = await subscribe(gateway)
    const before = await getStatus(account)
    const { customers } = gateway.billing.store
    const { [before.billingCustomerId]: customer } = customers
    delete customers[before.billingCustomerId]
    expect(await reconcileSubscriptions(ports())).toMatchObject({ repaired: 0, failed: 1 })
    expect(await getStatus(account)).toEqual(before)
    customers[before.billingCustomerId] = customer!
  })

  it('goes on after several such customers', async () => {
    for (let count = 0; count < 4; count++) await subscribe(gateway)
    const accounts = await gateway.database.sql<{ id: string; customer: string }[]>`
      select account_id as id, billing_customer_id as customer from subscriptions
      where billing_customer_id is not null order by account_id`
    const { customers } = gateway.billing.store
    const unknown = accounts.slice(0, 3).map(({ customer }) => customers[customer]!)
    for (const { id } of unknown) delete customers[id]
    await gateway.database.sql`
      update subscriptions set plan_id = case plan_id when 'starter' then 'pro' else 'starter' end
      where account_id = ${accounts.at(-1)!.id}`
    expect(await reconcileSubscriptions(ports())).toMatchObject({ repaired: 1, failed: 3 })
    for (const customer of unknown) customers[customer.id] = customer
  })

  it('stops if the provider has had none of the first 20 customers', async () => {
    const { sql } = gateway.database
    await subscribe(gateway)
    // These accounts come first, because a run is ordered by id.
    await sql`
      insert into subscriptions (account_id, billing_customer_id)
      select '00000000-' || number, 'cus_unknown_' || number from generate_series(1, 21) number`
    const before = gateway.log.lines.length
    await expect(reconcileSubscriptions(ports())).rejects.toThrow('billing_provider_unavailable')
    expect(gateway.log.lines.slice(before)).toHaveLength(19)
    await sql`delete from subscriptions where billing_customer_id in ('cus_unknown_1', 'cus_unknown_2')`
    expect(await reconcileSubscriptions(ports())).toMatchObject({ failed: 19 })
    await sql`delete from subscriptions where billing_customer_id like 'cus_unknown_%'`
  })

  it('counts no failures before an answer as consecutive', async () => {
    for (let count = 0; count < 5; count++) await subscribe(gateway)
    const { db, log } = ports()
    const statuses: (502 | 503)[] = [503, 503, 502, 503, 503]
    const reconcile = async () => {
      const status = statuses.shift()
      if (status) throw new ApiError('billing_provider_unavailable', {}, { status })
      return null
    }
    expect(await reconcileSubscriptions({ db, log, billing: { reconcile } })).toMatchObject({ failed: 5 })
  })

  it('stops after three consecutive provider failures', async () => {
    for (let count = 0; count < 3; count++) await subscribe(gateway)
    gateway.billing.setBehaviour({ down: true })
    const before = gateway.billing.requests.length
    await expect(reconcileSubscriptions(ports())).rejects.toThrow('billing_provider_unavailable')
    gateway.billing.setBehaviour({ down: false })
    expect(gateway.billing.requests.length - before).toBe(3)
  })

  it('runs once a night, on only one of several workers', async () => {
    const at = (time: string) => ({ now: () => new Date(time) })
    const { signal } = new AbortController()
    const nightly = (time: string) => reconcileNightly({ ...ports(), clock: at(time) }, signal)
    const days = async () =>
      (
        await gateway.database.sql`
      select day, finished_at is not null as finished from billing_reconciliations order by day`
      ).map((row) => ({ ...row }))
    await nightly('2026-03-01T02:59:00Z')
    expect(await days()).toEqual([])
    const before = gateway.billing.requests.length
    await nightly('2026-03-01T03:00:00Z')
    const once = gateway.billing.requests.length - before
    await Promise.all([1, 2, 3].map(() => nightly('2026-03-01T15:00:00Z')))
    expect(gateway.billing.requests.length - before).toBe(once)
    await Promise.all([1, 2, 3].map(() => nightly('2026-03-02T03:30:00Z')))
    expect(gateway.billing.requests.length - before).toBe(2 * once)
    expect(await days()).toEqual([
      { day: '2026-03-01', finished: true },
      { day: '2026-03-02', finished: true },
    ])
  })

  it('resumes a reconciliation that a crashed worker did not finish', async () => {
    await gateway.database.sql`
      insert into billing_reconciliations (day, started_at)
      values ('2026-04-01', now() - interval '61 minutes'), ('2026-04-02', now() - interval '59 minutes')`
    for (const day of ['2026-04-01', '2026-04-02'])
      await reconcileNightly(
        { ...ports(), clock: { now: () => new Date(`${day}T04:00:00Z`) } },
        new AbortController().signal,
      )
    const rows = await gateway.database.sql`
      select finished_at is not null as finished from billing_reconciliations where day like '2026-04%' order by day`
    expect(rows.map(({ finished }) => finished)).toEqual([true, false])
  })

  it('is left to another worker if this one is stopping', async () => {
    const clock = { now: () => new Date('2026-05-01T04:00:00Z') }
    await reconcileNightly({ ...ports(), clock }, AbortSignal.abort())
    expect(
      await gateway.database.sql`select day from billing_reconciliations where day = '2026-05-01'`,
    ).toEqual([])
  })
})

describe('reportSales', () => {
  const gateway = startTestGateway()
  const reports: { readonly headers: object; readonly sale: { readonly invoiceId: string } }[] = []
  let responseStatus = 200
  const provider = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    reports.push({ headers: request.headers, sale: JSON.parse(Buffer.concat(parts).toString()) })
    response.writeHead(responseStatus).end()
  })
  beforeAll(() => new Promise<void>((resolve) => void provider.listen(0, '127.0.0.1', resolve)))
  afterAll(() => new Promise((resolve) => void provider.close(resolve)))

  const report = () => {
    const { port } = provider.address() as AddressInfo
    const sales = createDubSales({ apiKey: 'links-key-of-the-tests', apiBase: `http://127.0.0.1:${port}/` })
    return reportSales({ ...createPorts(gateway), sales }, new AbortController().signal)
  }
  const insertSale = async () => {
    const invoiceId = `in_${crypto.randomUUID()}`
    await gateway.database.sql`
      insert into sale_reports (invoice_id, account_id, click_id, amount, currency)
      values (${invoiceId}, 'acct_1', 'click_1', 1900, 'eur')`
    return invoiceId
  }
  const reportsOf = (invoiceId: string) => reports.filter(({ sale }) => sale.invoiceId === invoiceId)

  it('reports each sale once', async () => {
    const invoices = await Promise.all(Array.from({ length: 12 }, insertSale))
    await Promise.all([report(), report(), report()])
    await report()
    for (const invoiceId of invoices) expect(reportsOf(invoiceId)).toHaveLength(1)
    expect(reportsOf(invoices[0]!)[0]).toMatchObject({
      headers: { authorization: 'Bearer links-key-of-the-tests' },
      sale: {
        clickId: 'click_1',
        customerExternalId: 'acct_1',
        amount: 1900,
        currency: 'eur',
        invoiceId: invoices[0],
      },
    })
  })

  it('reports a sale again after a delay if the provider returns an error', async () => {
    const invoiceId = await insertSale()
    responseStatus = 503
    await report()
    await report()
    expect(reportsOf(invoiceId)).toHaveLength(1)
    responseStatus = 200
    await gateway.database
      .sql`update sale_reports set next_attempt_at = now() where invoice_id = ${invoiceId}`
    await report()
    await report()
    expect(reportsOf(invoiceId)).toHaveLength(2)
    expect(JSON.stringify(gateway.log.lines)).not.toContain('links-key')
  })

  it('begins no further report once the worker stops', async () => {
    await Promise.all(Array.from({ length: 5 }, insertSale))
    const stopping = new AbortController()
    const begun: string[] = []
    const sales = {
      report: async ({ invoiceId }: { readonly invoiceId: string }) => {
        begun.push(invoiceId)
        stopping.abort()
      },
    }
    await reportSales({ ...createPorts(gateway), sales }, stopping.signal)
    expect(begun).toHaveLength(1)
  })

  it('does nothing without a link provider', async () => {
    const invoiceId = await insertSale()
    await reportSales({ ...createPorts(gateway), sales: null }, new AbortController().signal)
    expect(reportsOf(invoiceId)).toEqual([])
  })
})
