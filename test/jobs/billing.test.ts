import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDubSales } from '#gateway/adapters/link-tracking-dub/sales.ts'
import { createReconciliationPort } from '#gateway/ports/reconciliation-port.ts'
import { reconcileNightly, reconcileSubscriptions } from '#jobs/billing/reconcile.ts'
import { reportSales } from '#jobs/billing/report-sales.ts'
import { buy } from '#test/support/billing.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '#test/support/gateway.ts'

const status = async (account: TestAccount) => (await account.get('/v1/billing/status')).body

const portsOf = (gateway: TestGateway) => {
  const { db: database } = gateway.database
  const db = {
    read: database,
    tx: (work: Parameters<typeof database.transaction>[0]) => database.transaction(work),
  }
  return { db, log: gateway.log } as Pick<Parameters<typeof reportSales>[0], 'db' | 'log'>
}

const subscriber = async (gateway: TestGateway) => {
  const account = await gateway.signUp({ plan: 'free' })
  const { billingSubscriptionId: id } = await buy(gateway, account)
  return { account, id }
}

describe('the comparison with the billing provider', () => {
  const gateway = startTestGateway({ billing: true })
  const ports = () => {
    const { db, log } = portsOf(gateway)
    return { db, log, billing: createReconciliationPort(gateway.settings, db, log) }
  }

  it('repairs what differs, says what it was, and leaves the rest alone', async () => {
    const [lost, forged, alike] = [
      await subscriber(gateway),
      await subscriber(gateway),
      await subscriber(gateway),
    ]
    gateway.billing.deliveries.deliverTo(null)
    gateway.billing.ledger.cancel(lost.id)
    await gateway.database.sql`
      update subscriptions set plan_id = 'starter' where account_id = ${forged.account.accountId}`
    const counts = await reconcileSubscriptions(ports())
    expect(counts).toMatchObject({ repaired: 2, failed: 0 })
    expect(counts.checked).toBeGreaterThanOrEqual(3)
    expect((await status(lost.account)).status).toBe('canceled')
    expect((await status(forged.account)).planId).toBe('pro')
    const said = (accountId: string) =>
      gateway.log.lines.filter(({ fields }) => fields.accountId === accountId)
    expect(said(forged.account.accountId)).toMatchObject([
      {
        level: 'warn',
        message: 'a subscription was repaired',
        fields: { before: { planId: 'starter' }, after: { planId: 'pro' } },
      },
    ])
    expect(said(alike.account.accountId)).toEqual([])
    expect(await reconcileSubscriptions(ports())).toMatchObject({ repaired: 0 })
    gateway.billing.deliveries.deliverTo(`${gateway.url}/v1/webhooks/billing`)
    await gateway.billing.deliveries.settled()
  })

  it('gives up on a provider that fails on end', async () => {
    for (let count = 0; count < 3; count++) await subscriber(gateway)
    gateway.billing.behave({ down: true })
    const before = gateway.billing.requests.length
    await expect(reconcileSubscriptions(ports())).rejects.toThrow('billing_provider_unavailable')
    gateway.billing.behave({ down: false })
    expect(gateway.billing.requests.length - before).toBe(3)
  })

  it('is made once a night, by one of several workers', async () => {
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

  it('is taken over from a worker that died over it', async () => {
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

  const ask = (environment: Readonly<Record<string, string>> = {}) => {
    const script = join(import.meta.dirname, '../../gateway/reconcile.ts')
    const env = { ...process.env, ...gateway.environment, ...environment }
    return promisify(execFile)(process.execPath, [script], { env })
  }

  it('can be asked for', async () => {
    const { account } = await subscriber(gateway)
    await gateway.database.sql`
      update subscriptions set status = 'unpaid' where account_id = ${account.accountId}`
    const { stdout } = await ask()
    expect(stdout).toContain(account.accountId)
    expect(stdout).toMatch(/\d+ subscriptions compared, 1 repaired, 0 not compared/)
    expect((await status(account)).status).toBe('active')
  })

  it('names the database when it is not there', async () => {
    const { stderr } = await ask({ DATABASE_URL: 'postgres://u:se-kr-et@127.0.0.1:1/x' }).catch(
      (error) => error,
    )
    expect(stderr).toBe(
      'cannot connect to the database: connection refused (ECONNREFUSED), check DATABASE_URL\n',
    )
  })

  it('takes nobody for free because it was not told the plans', async () => {
    const { account } = await subscriber(gateway)
    const { stderr } = await ask({ BILLING_PLANS: '' }).catch((error) => error)
    expect(stderr).toContain('  BILLING_PLANS is missing')
    expect((await status(account)).planId).toBe('pro')
  })
})

describe('sales that came through share links', () => {
  const gateway = startTestGateway()
  const told: { readonly headers: object; readonly sale: { readonly invoiceId: string } }[] = []
  let answer = 200
  const provider = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    told.push({ headers: request.headers, sale: JSON.parse(Buffer.concat(parts).toString()) })
    response.writeHead(answer).end()
  })
  beforeAll(() => new Promise<void>((resolve) => void provider.listen(0, '127.0.0.1', resolve)))
  afterAll(() => new Promise((resolve) => void provider.close(resolve)))

  const report = () => {
    const { port } = provider.address() as AddressInfo
    const sales = createDubSales({ apiKey: 'links-key-of-the-tests', apiBase: `http://127.0.0.1:${port}/` })
    return reportSales({ ...portsOf(gateway), sales }, new AbortController().signal)
  }
  const note = async () => {
    const invoiceId = `in_${crypto.randomUUID()}`
    await gateway.database.sql`
      insert into sale_reports (invoice_id, account_id, click_id, amount, currency)
      values (${invoiceId}, 'acct_1', 'click_1', 1900, 'eur')`
    return invoiceId
  }
  const toldOf = (invoiceId: string) => told.filter(({ sale }) => sale.invoiceId === invoiceId)

  it('are told of once', async () => {
    const invoices = await Promise.all(Array.from({ length: 12 }, note))
    await Promise.all([report(), report(), report()])
    await report()
    for (const invoiceId of invoices) expect(toldOf(invoiceId)).toHaveLength(1)
    expect(toldOf(invoices[0]!)[0]).toMatchObject({
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

  it('are told of again, later, when the provider does not take them', async () => {
    const invoiceId = await note()
    answer = 503
    await report()
    await report()
    expect(toldOf(invoiceId)).toHaveLength(1)
    answer = 200
    await gateway.database
      .sql`update sale_reports set next_attempt_at = now() where invoice_id = ${invoiceId}`
    await report()
    await report()
    expect(toldOf(invoiceId)).toHaveLength(2)
    expect(JSON.stringify(gateway.log.lines)).not.toContain('links-key')
  })

  it('wait where nobody counts them', async () => {
    const invoiceId = await note()
    await reportSales({ ...portsOf(gateway), sales: null }, new AbortController().signal)
    expect(toldOf(invoiceId)).toEqual([])
  })
})
