import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'
import { createSandbox } from '../../start/start-sandbox.ts'
import { recordStart } from './record-start.ts'
import { drawTerminal } from './terminal-svg.ts'

const command = {
  name: 'screenshots',
  does: 'Takes the pictures in docs/screenshots: npm start, the page at /, the console after some traffic and a parity report.',
  example: '',
  flags: {},
  notes: ['It takes about five minutes. CHROMIUM_PATH is the path of Chromium; default: /usr/bin/chromium.'],
}
readArgumentsOrExit(command.name, (args) => readCommandLine(command, args), 1)

const root = join(import.meta.dirname, '../../..')
const folder = join(root, 'docs/screenshots')
const trafficSeconds = 45
const moved = 'tracks.list'

const run = (program: string, args: readonly string[]) =>
  promisify(execFile)(process.execPath, [join(root, program), ...args], { cwd: root })

const change = async (adminUrl: string, token: string, body: object) => {
  const response = await fetch(`${adminUrl}/api/routes/${moved}/changes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`a change was rejected: ${await response.text()}`)
}

const signIn = async (page: Page, adminUrl: string, token: string) => {
  await page.goto(`${adminUrl}/console`)
  await page.getByText('Use an operator token').click()
  await page.getByLabel('Your operator token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}

const takeTerminal = async () => {
  const output = `$ npm start\r\n${await recordStart()}`
  await writeFile(
    join(folder, 'npm-start.svg'),
    drawTerminal(output, 'npm start in a terminal, until it is ready'),
  )
}

const takeHome = async (page: Page, url: string) => {
  const size = page.viewportSize()
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 360]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      await page.goto(url)
      await page.screenshot({ path: join(folder, `home-${width}-${colorScheme}.png`), fullPage: true })
    }
  await page.emulateMedia({ colorScheme: null })
  if (size) await page.setViewportSize(size)
}

const takeConsole = async (page: Page, stateDir: string) => {
  const sandbox = createSandbox({
    stateDir,
    given: { HOST: '127.0.0.1', ADMIN_PORT: '0', JOBS_ADMIN_PORT: '0', LOG_LEVEL: 'fatal' },
  })
  try {
    const { gateway } = await sandbox.start()
    await takeHome(page, gateway.url)
    const token = (await readFile(join(stateDir, 'operator-token'), 'utf8')).trim()
    const adminUrl = gateway.adminUrl ?? ''
    const sendTraffic = (seconds: number) =>
      run('dev/sandbox/traffic/main.ts', [
        ...['--url', gateway.url, '--state-dir', stateDir],
        ...['--accounts', '100', '--rate', '40', '--seconds', String(seconds)],
      ])
    await change(adminUrl, token, { change: { kind: 'shadow' }, reason: 'compare the responses' })
    await sendTraffic(trafficSeconds)
    const ramp = { kind: 'ramp', weightBp: 2500 }
    await change(adminUrl, token, { change: ramp, reason: 'no difference so far' })
    await sendTraffic(trafficSeconds)
    await signIn(page, adminUrl, token)
    await page.goto(`${adminUrl}/console?area=tracks`)
    await page.screenshot({ path: join(folder, 'routes.png') })
    await page.goto(`${adminUrl}/console/routes/${moved}`)
    await page.screenshot({
      path: join(folder, 'route.png'),
      clip: { x: 0, y: 0, width: 1280, height: 1500 },
      fullPage: true,
    })
  } finally {
    await sandbox.stop()
  }
}

const takeParity = async (page: Page, out: string) => {
  // Exits with a code other than 0 if only one area is compared.
  await run('dev/contract/contract.ts', ['--area', 'packs', '--out', out]).catch(() => undefined)
  await page.goto(pathToFileURL(join(out, 'parity.html')).href)
  await page.locator('details').first().locator('summary').first().click()
  await page.screenshot({ path: join(folder, 'parity.png') })
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--disable-background-networking', '--disable-component-update'],
})
const stateDir = await mkdtemp(join(tmpdir(), 'crossfade-screenshots-'))
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await takeTerminal()
  await takeConsole(page, stateDir)
  await takeParity(page, stateDir)
} finally {
  await browser.close()
  await rm(stateDir, { recursive: true, force: true })
}
