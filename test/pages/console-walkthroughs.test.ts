import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { list } from '#contracts/packs.ts'
import { defineRoute } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { startTestBrowser } from '#test/support/browser.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { expectAccessible } from './expect-accessible.ts'

const documentation = await readFile(join(import.meta.dirname, '../../docs/operators.md'), 'utf8')

/** Does what a person would do and counts the steps. Requires that docs/operators.md names everything that is pressed. */
const countSteps = (page: Page, task: string, hasTouch = false) => {
  const [, text = ''] = new RegExp(`^## ${task}\\n([^]*?)(?=^## |$(?![^]))`, 'im').exec(documentation) ?? []
  let steps = 0
  const activate = (target: Locator) => (hasTouch ? target.tap() : target.click())
  const requireNamed = (name: string) => expect(text).toContain(`**${name}**`)
  const press = async (target: Locator, name: string) => {
    requireNamed(name)
    steps += 1
    await activate(target)
  }
  return {
    steps: () => steps,
    follow: (name: string) => press(page.getByRole('link', { name, exact: true }), name),
    confirm: (name: string) => press(page.getByRole('button', { name, exact: true }), name),
    open: (name: string) => press(page.locator('summary').filter({ hasText: name }), name),
    /** Follows a link that docs/operators.md cannot name, such as one to a route. */
    async choose(target: Locator) {
      steps += 1
      await activate(target)
    },
    async fill(name: string, value: string) {
      requireNamed(name)
      steps += 1
      await page.getByLabel(name).fill(value)
    },
    async key(key: string) {
      steps += 1
      await page.keyboard.press(key)
    },
    waitUntilApplied: () =>
      page
        .getByRole('status')
        .getByText(/Applied on 1 of 1 instance in \d+ ms/)
        .waitFor(),
  }
}

describe('a walkthrough of docs/operators.md', { timeout: 120_000 }, () => {
  const gateway = startTestGateway({
    core: 'recording',
    environment: { OPERATORS: testOperators },
    handlers: {
      ...handlers,
      'packs.list': defineRoute(list, () => Promise.reject(new TypeError('a fault'))),
    },
  })
  const browser = startTestBrowser()

  const signIn = async (options: BrowserContextOptions = {}) => {
    const page = await browser.openPage(options)
    await page.goto(`${gateway.adminUrl}/console`)
    await page.getByLabel('Your operator token').fill(operatorTokens.alice)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    return page
  }
  const change = async (label: string, body: object) => {
    const { status } = await gateway.requestAdmin('POST', `/api/routes/${label}/changes`, {
      token: operatorTokens.alice,
      body: { change: body, reason: 'a test' },
    })
    expect(status).toBe(200)
  }
  const readState = async (label: string) =>
    (await gateway.requestAdmin('GET', `/api/routes/${label}`, { token: operatorTokens.rob })).body.state

  it('moves a read to 100 %', async () => {
    const page = await signIn()
    const person = countSteps(page, 'Move a read to 100 %')
    await person.key('/')
    await person.fill('Label or path', 'tracks.list')
    await person.key('Enter')
    await page.getByRole('heading', { name: 'tracks.list', level: 1 }).waitFor()
    for (const step of ['shadow', '1 %', '5 %', '25 %', '50 %', '100 %']) {
      await person.follow(`Next step: ${step}`)
      await person.fill('Reason', 'no difference')
      await person.confirm(step === 'shadow' ? 'Move to shadow' : 'Change the percentage')
      await person.waitUntilApplied()
    }
    expect(await readState('tracks.list')).toMatchObject({ stage: 'native', weightBp: 10_000 })
    expect(person.steps()).toBe(21)
  })

  /** Sends requests until native is stopped; returns the time of the stop by this process's clock. */
  const failUntilStopped = async () => {
    await expect
      .poll(
        async () => {
          const account = await gateway.signUp()
          await account.get('/v1/packs')
          return (await readState('packs.list')).stage
        },
        { timeout: 60_000, interval: 10 },
      )
      .toBe('shadow')
    return performance.now()
  }

  it('shows within two seconds that a route was stopped at 25 %, and why', async () => {
    await change('packs.list', { kind: 'shadow' })
    await change('packs.list', { kind: 'ramp', weightBp: 2500 })
    const page = await signIn()
    const person = countSteps(page, 'See why a route was stopped')
    const stoppedAt = await failUntilStopped()
    const line = page.locator('.notice').filter({ hasText: 'packs.list was stopped automatically' })
    await line.waitFor({ timeout: 10_000 })
    expect(performance.now() - stoppedAt).toBeLessThan(2000)
    await expectAccessible(page)

    await person.choose(line.getByRole('link'))
    await page.getByText(/Stopped \d+ s ago: native fails more often than expected/).waitFor()
    await person.open('Events on the charts')
    await page
      .locator('#marks li')
      .filter({ hasText: /rollback packs\.list by auto: native fails more often/ })
      .waitFor()
    expect(await page.locator('.audit').innerText()).toContain('canary at 25 % → shadow')
    await page.locator('.plots .mark.stop').first().waitFor({ state: 'attached' })
    await expectAccessible(page)
    expect(person.steps()).toBe(2)
  })

  it('kills a route on a phone at night, and resumes it', async () => {
    await change('packs.update', { kind: 'ramp', weightBp: 5000 })
    const page = await signIn({
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
      colorScheme: 'dark',
    })
    const person = countSteps(page, 'Kill a route on a phone, and resume it', true)
    await person.fill('Label or path', 'packs.upd')
    await page.getByText(/of 90 routes/).waitFor()
    await person.choose(page.getByRole('link', { name: 'packs.update', exact: true }))
    await page.getByRole('heading', { name: 'packs.update', level: 1 }).waitFor()
    await person.follow('Kill')
    await person.confirm('Kill')
    await person.waitUntilApplied()
    expect(await readState('packs.update')).toMatchObject({ killed: true })
    await expectAccessible(page)

    await person.follow('Resume')
    await person.fill('Reason', 'the fault is fixed')
    await person.confirm('Resume')
    await person.waitUntilApplied()
    expect(await readState('packs.update')).toMatchObject({ killed: false, weightBp: 5000 })
    expect(person.steps()).toBe(7)
  })
})
