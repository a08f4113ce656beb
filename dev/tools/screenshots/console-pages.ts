import type { Page } from 'playwright-core'
import type { TakePictures } from './photographer.ts'
import type { ShownSandbox } from './sandbox-states.ts'

const canary = 'tracks.list'
const stopped = 'tracks.detail'
const killed = 'packs.list'

export const signIn = async (page: Page, { adminUrl, token }: ShownSandbox) => {
  await page.goto(`${adminUrl}/console`)
  await page.getByText('Use an operator token').click()
  await page.getByLabel('Your operator token').fill(token)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}

export const takeSignIn = async (page: Page, take: TakePictures, { adminUrl }: ShownSandbox) => {
  await page.goto(`${adminUrl}/console`)
  await take(page, 'sign-in')
  await page.getByText('Use an operator token').click()
  await page.getByLabel('Your operator token').fill('a wrong token')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').waitFor()
  await take(page, 'sign-in-error')
  await page.getByRole('link', { name: 'Sign in with single sign-on' }).click()
  await page.getByRole('button').first().waitFor()
  await take(page, 'sign-in-issuer')
}

export const takeEmptyConsole = async (page: Page, take: TakePictures, { adminUrl }: ShownSandbox) => {
  for (const [name, path] of [
    ['routes-empty', ''],
    ['routes-nothing-found', '?text=nothing'],
    ['route-empty', `/routes/${canary}`],
    ['accounts-empty', '/accounts'],
    ['core-usage-empty', '/core-usage'],
    ['report-empty', '/report'],
    ['audit-empty', '/audit'],
  ] as const) {
    await page.goto(`${adminUrl}/console${path}`)
    await take(page, name)
  }
}

export const bringIntoStates = async (sandbox: ShownSandbox) => {
  const { change, sendTraffic } = sandbox
  for (const label of [canary, stopped, killed]) await change(label, 'shadow', 'compare the responses')
  await sendTraffic(30)
  for (const label of [canary, stopped, killed])
    await change(label, 'ramp', 'no difference so far', { weightBp: 2500 })
  await change(killed, 'ramp', 'no differences for a day', { weightBp: 10_000 })
  await change('tracks.create', 'hold', 'the load test runs')
  await change('packs.detail', 'mode', 'the gate decides', { mode: 'auto' })
  await sandbox.override('acct_alice', canary, 'native', 'try it myself')
  await sendTraffic(30)
  await sandbox.addHistory(canary)
  await sandbox.stop(stopped)
  await change(killed, 'kill', 'killed from the console')
  await change('libraries.detail', 'retire', 'can we do without the core?', { drillMinutes: 60 })
}

const listPages = (signature: string): readonly (readonly [name: string, path: string])[] => [
  ['routes', ''],
  ['routes-found', '?text=tracks.list'],
  ['route-canary', `/routes/${canary}`],
  ['route-account', `/routes/${canary}?account=acct_alice`],
  ['route-stopped', `/routes/${stopped}`],
  ['route-killed', `/routes/${killed}`],
  ['route-held', '/routes/tracks.create'],
  ['route-drill', '/routes/libraries.detail'],
  ['route-native-only', '/routes/analytics.overview'],
  ['area', '/routes/tracks.*'],
  ['everything', '/routes/*'],
  ['difference', `/routes/${stopped}/mismatches/${signature}`],
  ['change-step', `/routes/${canary}/change?kind=ramp&percent=50`],
  ['change-kill', `/routes/${canary}/change?kind=kill`],
  ['change-impossible', '/routes/tracks.*/change?kind=shadow'],
  ['accounts', '/accounts'],
  ['account', '/accounts?account=acct_alice'],
  ['account-override', `/accounts/override?account=acct_bob&scope=${canary}&side=core`],
  ['core-usage', '/core-usage'],
  ['report', '/report'],
  ['audit', '/audit'],
  ['audit-nothing-found', '/audit?who=nobody'],
  ['audit-error', '/audit?from=yesterday'],
  ['instances', '/instances'],
  ['instance-forget', '/instances/web-7f9c-2/forget'],
  ['accept-restore', '/accept-restore'],
  ['not-found', '/nowhere'],
]

const takeRejectedChange = async (page: Page, take: TakePictures, { adminUrl, change }: ShownSandbox) => {
  await page.goto(`${adminUrl}/console/routes/${canary}/change?kind=hold`)
  await change(canary, 'mode', 'faster than the other operator', { mode: 'recommend' })
  await page.getByLabel('Reason').fill('the load test runs')
  await page.getByRole('button', { name: 'Hold' }).click()
  await page.getByRole('alert').waitFor()
  await take(page, 'change-rejected')
  await page.getByRole('link', { name: 'View the current state' }).click()
  await page.getByRole('link', { name: 'Hold', exact: true }).click()
  await page.getByLabel('Reason').fill('the load test runs')
  await page.getByRole('button', { name: 'Hold', exact: true }).click()
  await page.getByRole('status').first().waitFor()
  await take(page, 'change-done')
}

export const takeConsole = async (page: Page, take: TakePictures, sandbox: ShownSandbox) => {
  await sandbox.addSilentInstance()
  const signature = await sandbox.addDifference(stopped)
  for (const [name, path] of listPages(signature)) {
    await page.goto(`${sandbox.adminUrl}/console${path}`)
    await take(page, name)
  }
  await takeRejectedChange(page, take, sandbox)
  await page.goto(`${sandbox.adminUrl}/console/routes/${canary}`)
  await page.route('**/console/**', (route) => route.abort())
  await page.getByText('Not refreshed since').waitFor()
  await take(page, 'route-not-refreshed')
  await page.unroute('**/console/**')
  await page.context().clearCookies()
  await page.getByText('Your session has ended').waitFor()
  await take(page, 'route-session-ended')
}

const readmeHeight = 1390

export const takeDocumented = async (page: Page, folder: string, { adminUrl }: ShownSandbox) => {
  await page.goto(`${adminUrl}/console`)
  await page.screenshot({ path: `${folder}/routes.png` })
  await page.goto(`${adminUrl}/console/routes/${canary}`)
  await page.screenshot({
    path: `${folder}/route.png`,
    clip: { x: 0, y: 0, width: 1280, height: readmeHeight },
    fullPage: true,
  })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${adminUrl}/console/routes/${killed}`)
  await page.screenshot({ path: `${folder}/route-on-a-phone.png` })
}
