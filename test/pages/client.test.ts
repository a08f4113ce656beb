import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleModule } from '#test/packages/client/bundle.ts'
import type { makeTour, TourOptions } from '#test/packages/client/make-tour.ts'
import { readCodeBlocks } from '#test/packages/client/readme.ts'
import { expectedTour, pay, startTourGateway } from '#test/packages/client/tour-gateway.ts'
import { startTestBrowser } from '#test/support/browser.ts'

const html = '<!doctype html><meta charset="utf-8"><title>Tour</title>'

const startPageServer = async () => {
  const files = new Map<string, readonly [type: string, text: string]>()
  const server = createServer(({ url = '' }, response) => {
    const [type, text] = files.get(url) ?? []
    response.writeHead(type ? 200 : 404, { 'content-type': type ?? 'text/plain' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    files,
    close: () => new Promise<unknown>((resolve) => server.close(resolve)),
  }
}

describe('a page with the client', { timeout: 90_000 }, () => {
  let server: Awaited<ReturnType<typeof startPageServer>>
  const environment = { CORS_ORIGINS: '' }
  beforeAll(async () => {
    server = await startPageServer()
    environment.CORS_ORIGINS = server.origin
  })
  const gateway = startTourGateway({ environment })
  const browser = startTestBrowser()
  afterAll(() => server.close())

  const openExample = async () => {
    const { text } = await bundleModule(`export * from '#client/index.ts'`)
    const [example = ''] = await readCodeBlocks('html')
    server.files.set('/client.js', ['text/javascript', text])
    server.files.set('/', ['text/html', example.replaceAll('http://127.0.0.1:8787', gateway.url())])
    const page = await browser.openPage()
    await page.goto(server.origin)
    return page
  }
  const submit = async (page: Page, token: string, buffer: Buffer) => {
    await page.getByLabel('Token').fill(token)
    await page.getByLabel('Audio file').setInputFiles({ name: 'song.wav', mimeType: 'audio/wav', buffer })
    await page.getByRole('button', { name: 'Upload' }).click()
  }

  it('completes the tour', async () => {
    const { text } = await bundleModule(`export * from './make-tour.ts'`, { globalName: 'client' })
    server.files.set('/tour', ['text/html', `${html}<script src="/tour.js"></script>`])
    server.files.set('/tour.js', ['text/javascript', text])
    const page = await browser.openPage()
    await page.exposeFunction('pay', pay)
    await page.goto(`${server.origin}/tour`)
    const { pay: _, ...options } = await gateway.signUpForTour()
    const seen = await page.evaluate(async (given) => {
      const { client, pay } = window as unknown as {
        client: { makeTour: typeof makeTour }
        pay: TourOptions['pay']
      }
      return client.makeTour({ ...given, pay })
    }, options)
    expect(seen).toEqual(expectedTour)
  })

  it("plays an upload, as the client's README shows", async () => {
    const { ownerToken, bytes } = await gateway.signUpForTour()
    const page = await openExample()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(String(error)))
    await submit(page, ownerToken, Buffer.from(bytes))
    await expect.poll(() => page.locator('output').textContent(), { timeout: 30_000 }).toBe('Playing')
    expect(await page.locator('progress').evaluate((bar: HTMLProgressElement) => bar.value)).toBe(1)
    const duration = await page.locator('audio').evaluate((audio: HTMLAudioElement) => audio.duration)
    expect(duration).toBe(2)
    const drawn = await page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
      return data.filter((value, at) => at % 4 === 3 && value > 0).length
    })
    expect(drawn).toBeGreaterThan(10_000)
    expect(problems).toEqual([])
  })

  it("shows an error's code and message in the example", async () => {
    const page = await openExample()
    await submit(page, 'expired', Buffer.from('RIFF'))
    await expect
      .poll(() => page.locator('output').textContent())
      .toMatch(/^unauthorized: POST \/v1\/tracks: /)
  })
})
