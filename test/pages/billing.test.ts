import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startTestBrowser } from '#test/support/browser.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

describe('a person who buys a plan in the browser', () => {
  // Unset: hosted pages lead back to the gateway itself.
  const gateway = startTestGateway({ billing: true, environment: { APP_ORIGIN: '' } })
  const browser = startTestBrowser()

  const status = async (account: TestAccount) => (await account.get('/v1/billing/status')).body
  const soon = (account: TestAccount) => expect.poll(() => status(account), { timeout: 5000, interval: 20 })
  const returnPath = '/healthz?from=billing'

  const startCheckout = async (account: TestAccount, planId: string) => {
    const { body } = await account.post('/v1/billing/checkout', { planId, returnPath })
    const page = await browser.openPage()
    await page.goto(body.url)
    return page
  }

  const buy = async (account: TestAccount, planId: string) => {
    const page = await startCheckout(account, planId)
    await press(page, 'Pay and subscribe')
    await page.waitForURL(gateway.url + returnPath)
    await soon(account).toMatchObject({ planId, status: 'active' })
  }

  const openPortal = async (account: TestAccount) => {
    const { body } = await account.post('/v1/billing/portal', { returnPath })
    const page = await browser.openPage()
    await page.goto(body.url)
    return page
  }

  it('is active a moment later, and may share what it could not share before', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const links = `/v1/tracks/${await insertTrackOf(gateway.database.sql, account.accountId)}/share-links`
    expect(await account.post(links, {})).toMatchObject({
      status: 403,
      body: { code: 'entitlement_required', feature: 'tracks.share', planId: 'free', upgradeRequired: true },
    })
    expect(await status(account)).toMatchObject({ customerConfigured: false, status: 'free' })

    await buy(account, 'pro')
    expect(await status(account)).toMatchObject({ customerConfigured: true, cancelAtPeriodEnd: false })
    expect((await account.post(links, {})).status).toBe(201)
  })

  it('cancels, resumes and switches, and is told the truth at each step', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    await buy(account, 'starter')
    const bought = await status(account)

    await account.post('/v1/billing/cancel')
    expect(await status(account)).toEqual({ ...bought, cancelAtPeriodEnd: true })
    await account.post('/v1/billing/resume')
    expect(await status(account)).toEqual(bought)
    const switched = await account.post('/v1/billing/change-plan', { planId: 'pro', returnPath })
    expect(switched.body).toEqual({ mode: 'switched', planId: 'pro' })
    expect(await status(account)).toEqual({ ...bought, planId: 'pro' })

    // The provider has the same to show, and heard of it all once.
    const page = await openPortal(account)
    await expect.poll(() => page.getByRole('row').count()).toBe(1)
    expect(await page.getByRole('row').innerText()).toMatch(/Pro\s+active/)
    await gateway.billing.deliveries.settled()
    expect(await status(account)).toEqual({ ...bought, planId: 'pro' })
  })

  it('cancels and resumes on the page of the provider too', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    await buy(account, 'pro')
    const page = await openPortal(account)
    await press(page, 'cancel')
    await soon(account).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    await press(page, 'resume')
    await soon(account).toMatchObject({ status: 'active', cancelAtPeriodEnd: false })
    await press(page, 'fail-payment')
    await soon(account).toMatchObject({ status: 'past_due' })
    await press(page, 'cancel-now')
    await soon(account).toMatchObject({ status: 'canceled' })
    await page.getByRole('link', { name: 'Back to the app' }).click()
    await page.waitForURL(gateway.url + returnPath)
  })

  it('pays once: not by going back, and not again by coming back', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const page = await startCheckout(account, 'pro')
    const address = page.url()
    await page.getByRole('link', { name: 'Back without paying' }).click()
    await page.waitForURL(gateway.url + returnPath)
    expect(await status(account)).toMatchObject({ planId: 'free', status: 'free' })

    await page.goto(address)
    await press(page, 'Pay and subscribe')
    await page.waitForURL(gateway.url + returnPath)
    await soon(account).toMatchObject({ status: 'active' })
    await page.goto(address)
    expect(await page.getByRole('button').count()).toBe(0)
  })
})
