import { expect, it } from 'vitest'
import { startTestBrowser } from '#test/support/browser.ts'
import { listAxeViolations } from './axe.ts'

const browser = startTestBrowser()

it('axe reports an inaccessible button, even on a page that allows no scripts', async () => {
  const page = await browser.openPage()
  await page.setContent(`<!doctype html><html lang="en"><head><title>A page</title>
    <meta http-equiv="content-security-policy" content="script-src 'none'"></head>
    <body><main><h1>A page</h1><button></button></main></body></html>`)
  expect(await listAxeViolations(page)).toEqual(['button-name: button'])
})
