import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startTestBrowser } from '#test/support/browser.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { listAxeViolations } from './axe.ts'

describe('the console in a browser', { timeout: 60_000 }, () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  const browser = startTestBrowser()

  const signIn = async (page: Page, path = '/console') => {
    await page.goto(gateway.adminUrl + path)
    await page.getByLabel('Your operator token').fill(operatorTokens.alice)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  }
  const open = async (path: string, width = 1280, colorScheme: 'light' | 'dark' = 'light') => {
    const page = await browser.openPage()
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await signIn(page, path)
    return page
  }
  const confirm = async (page: Page, button: string) => {
    await page.getByLabel('Reason').fill(`a test: ${button}`)
    await page.getByRole('button', { name: button, exact: true }).click()
    await page
      .getByRole('status')
      .getByText(/Applied on 1 of 1 instance in \d+ ms/)
      .waitFor()
  }
  const ramp = async (page: Page, percent: string) => {
    await page.getByLabel('Native percentage').fill(percent)
    await page.getByRole('button', { name: 'Change the percentage' }).click()
    await confirm(page, 'Change the percentage')
  }
  const readStage = async (label: string) => {
    const { body } = await gateway.requestAdmin('GET', `/api/routes/${label}`, { token: operatorTokens.rob })
    return [body.state.stage, body.state.weightBp]
  }
  const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth)

  it.each([
    [1280, 'light', 'tracks.list'],
    [360, 'dark', 'packs.list'],
  ] as const)('moves a route to native and back, at %i pixels and %s', async (width, scheme, label) => {
    const page = await open('/console', width, scheme)
    await page.getByLabel('Label or path').fill(label)
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('link', { name: label, exact: true }).click()

    await page.getByRole('link', { name: 'Next step: shadow' }).click()
    await page.getByText(`${label} goes from proxy to shadow.`).waitFor()
    await confirm(page, 'Move to shadow')
    await page.getByRole('link', { name: 'Next step: 1 %' }).click()
    await page.getByText('Checks not met (waived by alice)').waitFor()
    expect(await widthOf(page)).toBe(width)
    await confirm(page, 'Change the percentage')
    await ramp(page, '100')
    expect(await readStage(label)).toEqual(['native', 10_000])
    await page.getByRole('link', { name: 'Move to shadow' }).click()
    await confirm(page, 'Move to shadow')
    expect(await readStage(label)).toEqual(['shadow', 0])
    expect(await page.getByRole('main').innerText()).toContain('a test: Change the percentage')
  })

  it('moves a route with the keyboard alone', async () => {
    const page = await browser.openPage()
    await page.goto(`${gateway.adminUrl}/console/routes/libraries.list`)
    const focusOn = async (name: string) => {
      for (let presses = 0; presses < 40; presses++) {
        await page.keyboard.press('Tab')
        const focused = await page.evaluate(() => {
          const { activeElement: element } = document
          const outline = element ? getComputedStyle(element).outlineWidth : ''
          return { text: element?.textContent?.trim() ?? '', name: element?.getAttribute('name'), outline }
        })
        if (focused.text !== name && focused.name !== name) continue
        expect(focused.outline).toBe('2px')
        return
      }
      throw new Error(`the keyboard does not reach ${name}`)
    }
    // The page gives the focus to the field, a moment after it has loaded.
    await page.locator('input[name=token]:focus').waitFor()
    await page.keyboard.type(operatorTokens.alice)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await focusOn('Hold')
    await page.keyboard.press('Enter')
    await page.getByLabel('Reason').waitFor()
    await focusOn('reason')
    await page.keyboard.type('a test')
    await focusOn('Hold')
    await page.keyboard.press('Enter')
    await page.getByText('Applied on 1 of 1 instance').waitFor()
    await page.getByText('libraries.list is held: automation').waitFor()
  })

  it('rejects a change that was decided on an older state, in a sentence', async () => {
    const page = await open('/console/routes/tracks.detail/change?kind=hold')
    const body = { change: { kind: 'hold' }, reason: 'another person was faster' }
    await gateway.requestAdmin('POST', '/api/routes/tracks.detail/changes', {
      token: operatorTokens.alice,
      body,
    })
    await page.getByLabel('Reason').fill('a test')
    await page.getByRole('button', { name: 'Hold' }).click()
    const alert = page.getByRole('alert')
    expect(await alert.innerText()).toContain(
      'tracks.detail changed while you were deciding (now version 1).',
    )
    await page.getByRole('link', { name: 'Look at it again' }).click()
    await page.getByText('tracks.detail is held: automation').waitFor()
  })

  it('refreshes what has changed without moving or closing anything', async () => {
    const page = await open('/console?area=packs')
    await page.getByLabel('Label or path').pressSequentially('packs.det')
    await page.getByText('1 of 90 routes').waitFor()
    // The search itself moves what is below it.
    await page.waitForTimeout(500)
    await page.evaluate(() => {
      const observer = new PerformanceObserver((list) => {
        for (const { entryType } of list.getEntries()) document.body.dataset.shifted = entryType
      })
      observer.observe({ type: 'layout-shift', buffered: false })
    })
    const row = page.getByRole('row').filter({ hasText: 'packs.detail' })
    expect(await row.innerText()).not.toContain('shadow')
    const body = { change: { kind: 'shadow' }, reason: 'seen by the refresh' }
    await gateway.requestAdmin('POST', '/api/routes/packs.detail/changes', {
      token: operatorTokens.alice,
      body,
    })
    await row.getByText('shadow').waitFor({ timeout: 12_000 })
    expect(await page.getByLabel('Label or path').inputValue()).toBe('packs.det')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('text')
    expect(await page.evaluate(() => document.body.dataset.shifted)).toBeUndefined()
  })

  it('keeps typed input while the page of a route changes around it', async () => {
    const page = await open('/console/routes/packs.update')
    await page.getByLabel('Native percentage').fill('12')
    const body = { change: { kind: 'kill' }, reason: 'another operator' }
    await gateway.requestAdmin('POST', '/api/routes/packs.update/changes', {
      token: operatorTokens.alice,
      body,
    })
    await page.getByRole('link', { name: 'Resume', exact: true }).waitFor()
    expect(await page.getByLabel('Native percentage').inputValue()).toBe('12')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('percent')
  })

  it('finds a route by the keyboard alone', async () => {
    const page = await open('/console')
    await page.keyboard.press('/')
    await page.keyboard.type('tracks.')
    await page.getByText(/of 90 routes/).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.type('tags.detail')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'tracks.tags.detail', level: 1 }).waitFor()
  })

  it.each(['/console/routes/tracks.remove', '/console/routes/tracks.remove/change?kind=hold'])(
    'kills in two keystrokes from %s',
    async (path) => {
      const page = await open(path)
      if (path.includes('hold')) await page.locator('h1').click()
      await page.keyboard.press('k')
      await page.locator('button:focus').waitFor()
      await page.keyboard.press('Enter')
      await page
        .getByRole('status')
        .getByText(/Applied on 1 of 1 instance in \d+ ms/)
        .waitFor()
      expect(await page.getByRole('main').innerText()).toContain('killed from the console')
      await gateway.requestAdmin('POST', '/api/routes/tracks.remove/changes', {
        token: operatorTokens.alice,
        body: { change: { kind: 'resume' }, reason: 'again' },
      })
    },
  )

  it('says when a page was last refreshed, and when the session has ended', async () => {
    const page = await open('/console/instances')
    await page.route('**/console/instances', (route) => route.abort())
    await page.getByText(/Not refreshed since/).waitFor({ timeout: 12_000 })
    await page.unroute('**/console/instances')
    await page.context().clearCookies()
    await page.getByText('Your session has ended.').waitFor({ timeout: 12_000 })
  })

  it('prints the report black on white, without what only a screen needs', async () => {
    const page = await open('/console/report', 718, 'dark')
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    const colours = await page.evaluate(() => {
      const { color, backgroundColor } = getComputedStyle(document.body)
      return [color, backgroundColor]
    })
    expect(colours).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)'])
    for (const selector of ['header', 'form', 'button', 'a[download]'])
      expect(await page.locator(selector).first().isVisible(), selector).toBe(false)
    const breaks = await page
      .locator('tr')
      .evaluateAll((rows) => rows.map((row) => getComputedStyle(row).breakInside))
    expect(new Set(breaks)).toEqual(new Set(['avoid']))
    expect(await widthOf(page)).toBe(718)
    expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(0)
  })

  it.each(['light', 'dark'] as const)('is accessible and fits each width (%s)', async (scheme) => {
    const page = await open('/console', 1280, scheme)
    const paths = [
      '/console',
      '/console/routes/tracks.list',
      '/console/routes/tracks.*',
      '/console/routes/tracks.list/change?kind=kill',
      '/console/accounts?account=acct_1',
      '/console/core-usage',
      '/console/report',
      '/console/audit',
      '/console/instances',
      '/console/unknown',
    ]
    for (const path of paths) {
      await page.goto(gateway.adminUrl + path)
      expect(await listAxeViolations(page), path).toEqual([])
      for (const width of [360, 768, 1600]) {
        await page.setViewportSize({ width, height: 900 })
        expect(await widthOf(page), `${path} at ${width}`).toBe(width)
      }
    }
  })
})
