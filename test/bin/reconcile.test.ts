import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { buyPlan, captureProviderWrites } from '#test/support/billing.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

const script = join(import.meta.dirname, '../../bin/reconcile.ts')

describe('npm run reconcile', { timeout: 60_000 }, () => {
  const gateway = startTestGateway({ billing: true })

  const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const env = { ...process.env, ...gateway.environment, ...environment }
      const child = execFile(process.execPath, [script, ...args], { env }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      )
    })

  // The provider sends webhooks only during `subscribe`, so a test's later changes become differences.
  beforeAll(() => gateway.billing.deliveries.setEndpoint(null))

  const subscribe = async () => {
    const account = await gateway.signUp({ plan: 'free' })
    gateway.billing.deliveries.setEndpoint(`${gateway.url}/v1/webhooks/billing`)
    const { billingSubscriptionId: id, billingCustomerId: customer } = await buyPlan(gateway, account)
    gateway.billing.deliveries.setEndpoint(null)
    return { account, id, customer }
  }
  const getStatus = async (account: TestAccount) => (await account.get('/v1/billing/status')).body
  const readTables = async () =>
    JSON.stringify([
      await gateway.database.sql`select * from subscriptions order by account_id`,
      await gateway.database.sql`select * from operator_warnings order by id`,
      await gateway.database.sql`select * from billing_reconciliations`,
    ])

  it('prints the differences, and repairs them only with --apply', async () => {
    const { account, id, customer } = await subscribe()
    const { accountId } = account
    gateway.billing.lifecycle.change(id, { status: 'past_due', priceId: 'price_starter' })
    const metadata = { account_id: accountId }
    const second = gateway.billing.lifecycle.subscribe({ customer, priceId: 'price_pro', metadata })
    // If both subscriptions were created in the same second, the one with the lower id would count as the first.
    Object.assign(gateway.billing.store.subscriptions[second.id]!, { created: second.created + 1 })
    const before = await readTables()
    const writes = await captureProviderWrites(gateway, async () => {
      const { code, stdout, stderr } = await run([])
      expect([code, stderr]).toEqual([2, ''])
      expect(stdout.split('\n')).toEqual([
        `${accountId}: planId pro -> starter, status active -> past_due`,
        `${accountId}: ${second.id}, a second live subscription -> canceled`,
        '1 subscriptions compared, 1 different, 0 not compared',
        'nothing was changed: use --apply to repair the differences',
        '',
      ])
    })
    expect([writes, await readTables()]).toEqual([[], before])

    const applied = await run(['--apply'])
    expect([applied.code, applied.stderr]).toEqual([0, ''])
    expect(applied.stdout).toContain(`${accountId}: planId pro -> starter, status active -> past_due\n`)
    expect(applied.stdout).toContain('1 subscriptions compared, 1 repaired, 0 not compared\n')
    expect(await getStatus(account)).toMatchObject({ planId: 'starter', status: 'past_due' })
    expect(gateway.billing.store.subscriptions[second.id]?.status).toBe('canceled')
    const { code, stdout } = await run([])
    expect([code, stdout]).toEqual([0, '1 subscriptions compared, 0 different, 0 not compared\n'])
  })

  it('keeps the plans of customers whose prices are missing from BILLING_PLANS, and warns about them', async () => {
    const { account, id } = await subscribe()
    const plans = gateway.environment.BILLING_PLANS?.replace('price_pro', 'price_por') ?? ''
    for (const args of [[], ['--apply']]) {
      const { code, stdout } = await run(args, { BILLING_PLANS: plans })
      expect(code).toBe(0)
      expect(stdout).toContain(
        `${account.accountId}: warning: no plan in BILLING_PLANS has the price of subscription ${id}\n`,
      )
      expect(await getStatus(account)).toMatchObject({ planId: 'pro', status: 'active' })
    }
    const warnings = await gateway.database.sql`select name from operator_warnings where subject = ${id}`
    expect(warnings).toEqual([{ name: 'billing_unknown_price' }])
  })

  it('repairs each difference once if two runs apply changes at the same time', async () => {
    const { account } = await subscribe()
    await gateway.database
      .sql`update subscriptions set status = 'unpaid' where account_id = ${account.accountId}`
    const runs = await Promise.all([run(['--apply']), run(['--apply'])])
    const changes = runs.flatMap(({ stdout }) => stdout.match(/: status unpaid -> active$/gm) ?? [])
    expect([changes.length, ...runs.map(({ code }) => code)]).toEqual([1, 0, 0])
    expect((await getStatus(account)).status).toBe('active')
  })

  it('names the accounts it could not compare', async () => {
    const { account } = await subscribe()
    await gateway.database.sql`
      update subscriptions set billing_customer_id = ${'x'.repeat(20_000)} where account_id = ${account.accountId}`
    const { code, stdout } = await run([])
    expect(code).toBe(1)
    expect(stdout).toContain(`${account.accountId}: not compared: billing_`)
    expect(stdout).toMatch(/, 1 not compared\n/)
  })

  it('reports an unreachable database without its password', async () => {
    const { code, stderr } = await run([], { DATABASE_URL: 'postgres://u:se-kr-et@127.0.0.1:1/x' })
    expect([code, stderr]).toEqual([
      1,
      'cannot connect to the database: connection refused (ECONNREFUSED); check DATABASE_URL\n',
    ])
  })

  it('exits without making changes if BILLING_PLANS is missing', async () => {
    const before = await readTables()
    const { code, stderr } = await run(['--apply'], { BILLING_PLANS: '' })
    expect(code).toBe(1)
    expect(stderr).toContain('  BILLING_PLANS is missing')
    expect(await readTables()).toBe(before)
  })
})
