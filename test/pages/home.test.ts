import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createSandboxHomePage } from '#dev/sandbox/home-page.ts'
import { startTestBrowser } from '#test/support/browser.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { expectAccessible } from './expect-accessible.ts'

// On a busy machine, Chromium takes seconds to render a page.
describe('the page at / in a browser', { timeout: 60_000 }, () => {
  const consoleUrl = 'http://127.0.0.1:9/console'
  let tokenUrl = ''
  const sandbox = startTestGateway({
    homePage: (issuer) => {
      tokenUrl = issuer.tokenUrl
      return createSandboxHomePage(() => ({ baseUrl: sandbox.url, consoleUrl, tokenUrl }))
    },
  })
  const production = startTestGateway()
  const browser = startTestBrowser()

  const open = async (
    url: string,
    { width = 1280, permissions = ['clipboard-read', 'clipboard-write'] } = {},
  ) => {
    const page = await browser.openPage({ permissions })
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(String(error)))
    await page.setViewportSize({ width, height: 800 })
    await page.goto(url)
    return { page, problems }
  }
  const tokenButton = (page: Page) => page.locator('.token button')
  const readClipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
  const readSelection = (page: Page) => page.evaluate(() => getSelection()?.toString().trim())
  const statusWith = async (token: string | undefined) =>
    (await sandbox.request('GET', '/v1/libraries', { token: token ?? '' })).status

  it.each([360, 1280])('is accessible without horizontal scrolling at %i pixels', async (width) => {
    for (const { url } of [sandbox, production]) {
      const { page, problems } = await open(url, { width })
      await expectAccessible(page)
      expect(problems).toEqual([])
    }
  })

  it('copies a working token, and says so', async () => {
    const { page, problems } = await open(sandbox.url)
    expect(await page.content()).not.toMatch(/eyJ/)
    await tokenButton(page).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.getByRole('status').innerText()).toBe('Copied')
    expect(await statusWith(await readClipboard(page))).toBe(200)
    expect(await page.content()).not.toMatch(/eyJ/)
    await page.getByRole('button', { name: 'Copy a demo token' }).waitFor()
    expect(problems).toEqual([])
    expect(JSON.stringify(sandbox.log.lines)).not.toMatch(/eyJ/)
  })

  it.each([
    ['has no clipboard', "Object.defineProperty(navigator, 'clipboard', { value: undefined })"],
    ['refuses to copy', 'navigator.clipboard.write = () => Promise.reject(new Error("no"))'],
  ])('selects the token if the browser %s', async (_, prepare) => {
    const { page } = await open(sandbox.url)
    await page.evaluate(prepare)
    await tokenButton(page).click()
    await page.getByRole('button', { name: 'Selected: copy it' }).waitFor()
    expect(await statusWith(await readSelection(page))).toBe(200)
    await page.locator('.command button').first().click()
    expect(await readSelection(page)).toMatch(/^BASE=http:\S+\nTOKEN=/)
  })

  it('shows the command for a token if the issuer does not respond', async () => {
    const { page } = await open(sandbox.url)
    await page.route(tokenUrl, (route) => route.abort())
    await tokenButton(page).click()
    await page.getByRole('button', { name: 'No token: run this' }).waitFor()
    expect(await page.locator('#token-text').innerText()).toBe('npm run -s token')
  })

  it('copies each command, even with the keyboard', async () => {
    const { page } = await open(sandbox.url)
    const commands = await page.locator('.command code').allTextContents()
    expect(commands[0]).toBe(`BASE=${sandbox.url}\nTOKEN=$(npm run -s token)`)
    expect(commands[1]).toBe('curl -i -H "Authorization: Bearer $TOKEN" $BASE/v1/libraries')
    for (const [index, button] of (await page.locator('.command button').all()).entries()) {
      await button.focus()
      expect(await button.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid')
      await page.keyboard.press('Enter')
      await expect.poll(() => readClipboard(page)).toBe(commands[index])
    }
  })

  it('links to the docs and to the console', async () => {
    const { page } = await open(sandbox.url)
    expect(await page.getByRole('link', { name: 'Console' }).getAttribute('href')).toBe(consoleUrl)
    await page.getByRole('link', { name: 'API reference' }).click()
    await page.getByRole('heading', { name: 'billing' }).waitFor()
  })

  it('has neither a button nor a script in production', async () => {
    const { page } = await open(production.url)
    expect(await page.locator('button, script').count()).toBe(0)
  })
})
