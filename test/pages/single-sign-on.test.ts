import { describe, expect, it } from 'vitest'
import { createSessions } from '#migration/console/session/sessions.ts'
import { createSingleSignOn } from '#migration/console/session/single-sign-on.ts'
import { startTestBrowser } from '#test/support/browser.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { listAxeViolations } from './axe.ts'

describe('single sign-on in a browser', { timeout: 60_000 }, () => {
  const gateway = startTestGateway({ singleSignOn: true, environment: { OPERATORS: testOperators } })
  const browser = startTestBrowser()

  it('leads to the requested page', async () => {
    const page = await browser.openPage()
    await page.goto(`${gateway.adminUrl}/console/audit`)
    expect(await listAxeViolations(page)).toEqual([])
    await page.getByRole('link', { name: 'Sign in with single sign-on' }).click()
    const olivia = page.getByRole('button', { name: /olivia/ })
    await olivia.waitFor()
    expect(await listAxeViolations(page)).toEqual([])
    await olivia.click()
    await page.waitForURL(`${gateway.adminUrl}/console/audit`)
    await page.getByText('olivia@crossfade.example, write').waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Sign in with single sign-on' }).waitFor()
  })

  it('leads to the issuer if a form is submitted after the session has ended', async () => {
    const page = await browser.openPage()
    const key = createSingleSignOn({ singleSignOn: gateway.settings, listOperators: () => [] })?.key ?? null
    const sessions = createSessions(
      { secret: gateway.settings.GATEWAY_SECRET, listOperators: () => [], singleSignOnKey: key },
      () => Date.now() - 15 * 60_000,
    )
    const value = sessions.issue({ name: 'olivia@crossfade.example', role: 'write' })
    await page.goto(`${gateway.adminUrl}/console/sign-in`)
    await page
      .context()
      .addCookies([{ name: 'crossfade_console', value, url: `${gateway.adminUrl}/console` }])
    await page.evaluate(() => {
      const form = Object.assign(document.createElement('form'), { action: '/console/audit' })
      document.body.append(form)
      form.submit()
    })
    await page.getByRole('button', { name: /olivia/ }).click()
    await page.waitForURL(`${gateway.adminUrl}/console/audit`)
    await page.getByText('olivia@crossfade.example, write').waitFor()
  })

  it('still allows signing in with an operator token', async () => {
    const page = await browser.openPage()
    await page.goto(`${gateway.adminUrl}/console`)
    await page.getByText('Use an operator token').click()
    await page.getByLabel('Your operator token').fill('a wrong token')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').waitFor()
    expect(await listAxeViolations(page)).toEqual([])
    await page.getByLabel('Your operator token').fill(operatorTokens.rob)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('rob, read').waitFor()
  })
})
