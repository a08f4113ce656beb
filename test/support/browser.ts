import { access, constants } from 'node:fs/promises'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

// Disables all network traffic that a test does not cause.
const launchArguments = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const launch = async () => {
  try {
    await access(executablePath, constants.X_OK)
  } catch {
    throw new Error(`no Chromium at ${executablePath}: install the package chromium or set CHROMIUM_PATH`)
  }
  return chromium.launch({ executablePath, args: launchArguments })
}

interface TestBrowser {
  openPage(options?: BrowserContextOptions): Promise<Page>
}

/** Starts a headless Chromium for a test file. Pages are closed after each test, and the browser after the file. */
export const startTestBrowser = (): TestBrowser => {
  let browser: Browser | undefined
  const opened: BrowserContext[] = []
  beforeAll(async () => {
    browser = await launch()
  })
  afterEach(async () => {
    for (const context of opened.splice(0)) await context.close()
  })
  afterAll(async () => {
    await browser?.close()
  })
  const openPage = async (options: BrowserContextOptions = {}) => {
    if (!browser) throw new Error('the browser is not started yet')
    const context = await browser.newContext(options)
    opened.push(context)
    return context.newPage()
  }
  return { openPage }
}
