import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatParityHtml } from '#migration/parity/report/parity-html.ts'
import { createReport } from '#migration/parity/report/summary.ts'
import { createRun, detail, invalidNameComparison } from '#test/migration/parity/report/run.ts'
import { startTestBrowser } from '#test/support/browser.ts'
import { expectAccessible } from './expect-accessible.ts'

const recording = (native: number, core: number) => ({
  request: 0,
  native: { response: native, durationMs: 3 },
  core: { response: core, durationMs: 8 },
})

const report = createReport({
  ...createRun(
    ['libraries.detail', 'libraries.create'],
    [
      { ...detail.same, recording: recording(0, 0) },
      { ...detail.absent, recording: recording(0, 0) },
      { ...detail.counted, recording: recording(0, 1) },
      { ...detail.recounted, recording: recording(0, 1) },
      invalidNameComparison,
    ],
  ),
  commit: 'c0ffee',
  requests: [
    {
      method: 'GET',
      path: '/v1/libraries/:libraryId',
      headers: { authorization: 'Bearer <token>' },
      body: null,
    },
  ],
  responses: ['HTTP 200\n\n{\n  "trackCount": 2\n}', 'HTTP 200\n\n{\n  "trackCount": 1\n}'],
})

describe('parity.html in a browser', { timeout: 60_000 }, () => {
  const browser = startTestBrowser()
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parity-page-'))
    await writeFile(join(folder, 'parity.html'), formatParityHtml(report))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const open = async (width = 1280, hash = '') => {
    const page = await browser.openPage()
    await page.setViewportSize({ width, height: 800 })
    await page.goto(pathToFileURL(join(folder, 'parity.html')).href + hash)
    return page
  }

  it('filters the comparisons, routes and differences by area, status and verdict', async () => {
    const page = await open()
    const shown = () => page.locator('.comparison:not([hidden]) .title').allInnerTexts()
    await page.locator('.route > summary').first().click()
    await page.getByLabel('Verdict').selectOption('regression')
    expect(await page.locator('output').innerText()).toBe('2 comparisons')
    expect(await page.locator('tbody tr:visible').count()).toBe(1)
    await page.getByRole('button', { name: 'Show all' }).click()
    await expect.poll(() => page.locator('output').innerText()).toBe('5 comparisons')
    await page.getByLabel('Status').selectOption('404')
    expect(await shown()).toEqual(['another owner <script>'])
    await page.getByLabel('Area').selectOption('libraries')
    expect(new URL(page.url()).hash).toBe('#?area=libraries&status=404')
  })

  it('applies the filters in its URL', async () => {
    const page = await open(1280, '#?verdict=regression')
    expect(await page.getByLabel('Verdict').inputValue()).toBe('regression')
    expect(await page.locator('output').innerText()).toBe('2 comparisons')
  })

  it('shows the request, both responses with their differing lines, the commit, the durations and a curl command', async () => {
    const page = await open()
    await page.locator('.route > summary').first().click()
    const comparison = page.locator('.comparison').filter({ hasText: 'counts <script>' }).first()
    await comparison.locator('summary').click()
    expect(await comparison.locator('mark').allInnerTexts()).toEqual([
      '  "trackCount": 2',
      '  "trackCount": 1',
    ])
    const text = await comparison.innerText()
    expect(text).toContain('GET /v1/libraries/:libraryId\nauthorization: Bearer <token>')
    expect(text).toContain('curl -i "$BASE/v1/libraries/$LIBRARY_ID" -H "Authorization: Bearer $TOKEN"')
    expect(text).toContain('native 3 ms, core 8 ms')
    expect(text).toContain('Commit c0ffee')
  })

  it('shows everything without a script', async () => {
    const page = await browser.openPage({ javaScriptEnabled: false })
    await page.goto(pathToFileURL(join(folder, 'parity.html')).href)
    expect(await page.locator('.comparison').count()).toBe(5)
    expect(await page.locator('.comparison[hidden]').count()).toBe(0)
    expect(await page.locator('form').isVisible()).toBe(false)
  })

  it.each([360, 1280])('is accessible without horizontal scrolling at %i pixels', async (width) => {
    const page = await open(width)
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    await expectAccessible(page)
  })
})
