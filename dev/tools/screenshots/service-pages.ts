import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { readIssuerKey } from '../../sandbox/issuer-key.ts'
import { createTokenMinter } from '../../sandbox/mint-token.ts'
import type { TakePictures } from './photographer.ts'
import { runProgram, type ShownSandbox } from './sandbox-states.ts'

export const takeGateway = async (page: Page, take: TakePictures, { url }: ShownSandbox) => {
  await page.goto(url)
  await take(page, 'home')
  await page.route('**/openapi.json', () => undefined)
  await page.goto(`${url}/docs`)
  await page.locator('.loading').waitFor({ state: 'attached' })
  await take(page, 'docs-loading')
  await page.unrouteAll()
  await page.goto(`${url}/docs`)
  await page.getByRole('heading', { name: 'billing' }).waitFor()
  await take(page, 'docs')
  await page.getByRole('heading', { name: 'billing' }).click()
  await page.locator('[data-path="/v1/billing/status"]').click()
  await page.getByRole('button', { name: 'Try it out' }).waitFor()
  await take(page, 'docs-operation')
}

const waitUntilLoaded = (page: Page) => page.locator('main:not([aria-busy])').waitFor()

const isProcessed = async (url: string) => {
  const response = await fetch(`${url}/v1/public/pack-links/harbour-ep`)
  const { tracks }: { tracks: { durationMs: number | null; artworkUrl: string | null }[] } = JSON.parse(
    await response.text(),
  )
  return tracks.every(({ durationMs, artworkUrl }) => durationMs !== null && artworkUrl !== null)
}

export const takeShares = async (page: Page, take: TakePictures, { providers, url }: ShownSandbox) => {
  const app = providers.APP_ORIGIN ?? ''
  while (!(await isProcessed(url))) await sleep(500)
  for (const [name, path] of [
    ['app-home', '/'],
    ['app-billing', '/billing'],
    ['share-invitation', '/share/invitations/i1'],
    ['share-error', '/share/tracks/unknown'],
    ['share-code', '/share/packs/harbour-ep-press'],
    ['share', '/share/packs/harbour-ep'],
  ] as const) {
    await page.goto(app + path)
    await waitUntilLoaded(page)
    await take(page, name)
  }
  await page
    .getByRole('button', { name: /^Play / })
    .first()
    .click()
  await page.locator('.player').waitFor()
  await take(page, 'share-player')
  await page.route(`${url}/**`, () => undefined)
  await page.goto(`${app}/share/packs/harbour-ep`)
  await take(page, 'share-loading')
  await page.unrouteAll()
}

const startBilling = async ({ url }: ShownSandbox, stateDir: string, account: string, path: string) => {
  const mintToken = createTokenMinter(await readIssuerKey(stateDir))
  const response = await fetch(`${url}/v1/billing/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await mintToken(account)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ returnPath: '/billing', ...(path === 'checkout' ? { planId: 'pro' } : {}) }),
  })
  const { url: address }: { url: string } = JSON.parse(await response.text())
  return address
}

export const takeProviders = async (
  page: Page,
  take: TakePictures,
  { sandbox, stateDir }: { readonly sandbox: ShownSandbox; readonly stateDir: string },
) => {
  await page.goto(sandbox.providers.EMAIL_API_BASE ?? '')
  await take(page, 'email')
  await page.goto(await startBilling(sandbox, stateDir, 'acct_bob', 'checkout'))
  const address = page.url()
  await take(page, 'billing-checkout')
  await page.getByRole('button', { name: 'Pay and subscribe' }).click()
  await page.waitForURL('**/billing')
  await page.goto(address)
  await take(page, 'billing-paid')
  await page.goto(await startBilling(sandbox, stateDir, 'acct_alice', 'portal'))
  await take(page, 'billing-portal')
  await page.goto(sandbox.providers.BILLING_API_BASE ?? '')
  await take(page, 'billing-provider')
}

export const takeParity = async (page: Page, take: TakePictures) => {
  const out = await mkdtemp(join(tmpdir(), 'crossfade-parity-'))
  try {
    // If only one area is compared, the exit code is not 0.
    await runProgram('dev/contract/contract.ts', ['--area', 'packs', '--out', out]).catch(() => undefined)
    await page.goto(pathToFileURL(join(out, 'parity.html')).href)
    await page.locator('details').first().locator('summary').first().click()
    await take(page, 'parity')
    await page.getByLabel('Verdict').selectOption({ index: 1 })
    await take(page, 'parity-filtered')
  } finally {
    await rm(out, { recursive: true, force: true })
  }
}
