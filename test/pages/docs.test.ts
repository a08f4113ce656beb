import { describe, expect, it } from 'vitest'
import { startTestBrowser } from '#test/support/browser.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { expectAccessible } from './expect-accessible.ts'

// On a busy machine, Chromium takes seconds to render the page.
describe('/docs in a browser', { timeout: 60_000 }, () => {
  const gateway = startTestGateway()
  const browser = startTestBrowser()

  const openDocs = async (colorScheme: 'light' | 'dark', width: number) => {
    const page = await browser.openPage()
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${gateway.url}/docs`)
    await page.getByRole('heading', { name: 'billing' }).waitFor()
    return page
  }
  const authorize = (page: Awaited<ReturnType<typeof openDocs>>) =>
    page.getByRole('button', { name: 'Authorize', exact: true }).first().click()

  it.each([360, 1280])(
    'is accessible at %i pixels with an operation open, without horizontal scrolling',
    async (width) => {
      const page = await openDocs('light', width)
      await page.getByRole('heading', { name: 'billing' }).click()
      await page.locator('[data-path="/v1/billing/status"]').click()
      await page.getByRole('button', { name: 'Try it out' }).waitFor()
      await expectAccessible(page)
    },
  )

  it.each([360, 1280])('is accessible at %i pixels with the dialog for credentials open', async (width) => {
    const page = await openDocs('light', width)
    await authorize(page)
    await page.locator('.auth-container input').first().waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Close' }).first().click()
    await page.locator('.auth-container').first().waitFor({ state: 'detached' })
  })

  it('uses dark colours if the system does', async () => {
    const backgroundOf = async (scheme: 'light' | 'dark') => {
      const page = await openDocs(scheme, 1280)
      return page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    }
    expect(await backgroundOf('dark')).toBe('rgb(28, 32, 34)')
    expect(await backgroundOf('light')).not.toBe('rgb(28, 32, 34)')
  })

  it('asks for the bearer token first, and keeps it after a reload', async () => {
    const page = await openDocs('light', 1280)
    await authorize(page)
    const token = page.locator('.auth-container input').first()
    expect(await page.locator('.auth-container h4').first().innerText()).toContain('actor')
    await expect.poll(() => token.evaluate((input) => input === document.activeElement)).toBe(true)
    await token.fill('token-of-a-test')
    await page.locator('.auth-container').first().getByRole('button', { name: 'Authorize' }).click()
    await page.reload()
    await authorize(page)
    expect(await page.locator('.auth-container').first().innerText()).toContain('Logout')
  })
})
