import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBillingProvider } from '#dev/sandbox/billing/start-billing.ts'
import { startEmailProvider } from '#dev/sandbox/email/start-email.ts'
import { startTestBrowser } from '#test/support/browser.ts'
import { expectAccessible } from './expect-accessible.ts'
import { startWebhookReceiver } from './webhook-receiver.ts'

const webhookSecret = `whsec_${Buffer.from('secret-of-the-sandbox-pages').toString('base64')}`
const prices = [{ id: 'price_pro', name: 'Pro', amount: 1900 }]

describe('a sandbox page in a browser', { timeout: 60_000 }, () => {
  const browser = startTestBrowser()
  let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>
  let email: Awaited<ReturnType<typeof startEmailProvider>>
  let billing: Awaited<ReturnType<typeof startBillingProvider>>

  beforeAll(async () => {
    receiver = await startWebhookReceiver()
    email = await startEmailProvider({ webhookSecret, retryMs: 20 })
    email.deliveries.setEndpoint(receiver.url)
    billing = await startBillingProvider({ secretKey: 'sk_pages', webhookSecret, prices, retryMs: 20 })
    billing.deliveries.setEndpoint(receiver.url)
  })
  afterAll(async () => {
    await Promise.all([email.close(), billing.close()])
    await receiver.close()
  })

  const open = async (url: string, width = 1280) => {
    const page = await browser.openPage()
    await page.setViewportSize({ width, height: 800 })
    await page.goto(url)
    return page
  }
  const sendMessage = (text: string) =>
    fetch(`${email.url}/emails`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ to: 'ann@example.test', subject: 'Songs for you', text }),
    })
  const idsOf = (type: string) => receiver.received.filter((event) => event.type === type).map(({ id }) => id)

  it('says how to begin when there is nothing to show yet', async () => {
    const page = await open(email.url)
    expect(await page.locator('main').innerText()).toContain('Invite a person to a pack')
    expect(await page.locator('main').innerText()).toContain('No webhook has been sent yet.')
  })

  it("shows a webhook's payload, and sends it again with the same id", async () => {
    await sendMessage('Listen: http://127.0.0.1:9/share/pack?token=<x>')
    const page = await open(email.url)
    const link = page.locator('pre a').first()
    expect(await link.getAttribute('href')).toBe('http://127.0.0.1:9/share/pack?token=')
    const isShownAgain = page.waitForEvent('load')
    await page.getByRole('button', { name: 'opened', exact: true }).first().click()
    await isShownAgain
    await expect.poll(() => idsOf('email.opened').length).toBe(1)
    await email.deliveries.waitUntilIdle()

    await page.goto(email.url)
    await page.locator('summary').first().click()
    expect(await page.locator('details pre').first().innerText()).toContain('"type": "email.opened"')
    await page.getByRole('button', { name: 'Resend' }).first().click()
    await expect.poll(() => idsOf('email.opened').length).toBe(2)
    expect(new Set(idsOf('email.opened')).size).toBe(1)
    const [first, second] = receiver.received
    expect(second?.signature).toMatch(/^v1,/)
    expect(first?.body).toBe(second?.body)
  })

  it('does not resend an event that it does not know', async () => {
    const response = await fetch(`${email.url}/sandbox/events/msg_unknown/resend`, { method: 'POST' })
    expect(response.status).toBe(404)
  })

  it.each([360, 1280])('is accessible without horizontal scrolling at %i pixels', async (width) => {
    await sendMessage('Hello')
    for (const { url } of [email, billing]) {
      const page = await open(url, width)
      const opened = page.locator('summary').first()
      if ((await opened.count()) > 0) await opened.click()
      await expectAccessible(page)
    }
  })

  it('has a header for each column, one main heading and its own dark colours', async () => {
    const page = await open(billing.url)
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
    for (const table of await page.getByRole('table').all())
      expect(await table.getByRole('columnheader').count()).toBeGreaterThan(3)
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    await page.emulateMedia({ colorScheme: 'light' })
    const light = await background()
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await background()).not.toBe(light)
  })
})
