import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { createClient, uploadVersion } from '#client/index.ts'
import { bundleModule } from '#test/packages/client/bundle.ts'
import { startTestBrowser } from '#test/support/browser.ts'

const byteSize = 32 * 1024 * 1024

/** Starts a service with an object store that stops reading an upload until `resume` is called. */
const startSlowStore = async () => {
  const received: string[] = []
  let putStarted = Promise.withResolvers<void>()
  let resume = () => {}
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request
    for (const name of ['origin', 'headers', 'methods'])
      response.setHeader(`access-control-allow-${name}`, '*')
    if (url === '/page') return response.setHeader('content-type', 'text/html').end('<!doctype html>')
    if (method === 'OPTIONS') return response.end()
    if (method !== 'GET') received.push(`${method} ${url}`)
    if (method === 'PUT') {
      const resumed = new Promise<void>((resolve) => {
        resume = resolve
      })
      request.once('data', () => {
        request.pause()
        putStarted.resolve()
      })
      await resumed
      request.resume()
      request.once('end', () => response.end())
      return
    }
    request.resume()
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        uploadId: 'upl_1',
        trackId: 'trk_1',
        signedUrl: `http://${request.headers.host}/object`,
        requiredHeaders: { 'content-type': 'audio/wav' },
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    started: () => putStarted.promise,
    resume: () => resume(),
    reset() {
      received.length = 0
      putStarted = Promise.withResolvers()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface UploadWindow {
  readonly client: {
    readonly createClient: typeof createClient
    readonly uploadVersion: typeof uploadVersion
  }
  readonly controller: AbortController
  readonly fractions: number[]
  readonly upload: Promise<unknown>
}

describe('a client upload in a page', { timeout: 60_000 }, () => {
  let store: Awaited<ReturnType<typeof startSlowStore>>
  beforeAll(async () => {
    store = await startSlowStore()
  })
  beforeEach(() => store.reset())
  afterAll(() => store.close())
  const browser = startTestBrowser()

  const startUpload = async () => {
    const { text } = await bundleModule(`export * from '#client/index.ts'`, { globalName: 'client' })
    const page = await browser.openPage()
    await page.goto(`${store.url}/page`)
    await page.addScriptTag({ content: text })
    await page.evaluate(
      ([baseUrl, size]) => {
        const { client } = window as unknown as UploadWindow
        const controller = new AbortController()
        const fractions: number[] = []
        const upload = client
          .uploadVersion(client.createClient({ baseUrl, getToken: () => 'token' }), {
            trackId: 'trk_1',
            file: new File([new Uint8Array(size)], 'song.wav', { type: 'audio/wav' }),
            signal: controller.signal,
            onProgress: (fraction) => fractions.push(fraction),
          })
          .then(
            () => 'finalized',
            (error: unknown) => String(error),
          )
        Object.assign(window, { controller, fractions, upload })
      },
      [store.url, byteSize] as const,
    )
    await store.started()
    return page
  }
  const listFractions = (page: Awaited<ReturnType<typeof startUpload>>) =>
    page.evaluate(() => (window as unknown as UploadWindow).fractions)

  it('reports how much has been sent', async () => {
    const page = await startUpload()
    await expect.poll(() => listFractions(page)).not.toEqual([])
    const [first = 0] = await listFractions(page)
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThan(1)
    store.resume()
    expect(await page.evaluate(() => (window as unknown as UploadWindow).upload)).toBe('finalized')
    const fractions = await listFractions(page)
    expect(fractions.at(-1)).toBe(1)
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b))
  })

  it('stops when its signal is aborted, and is not finalized', async () => {
    const page = await startUpload()
    const outcome = await page.evaluate(() => {
      const { controller, upload } = window as unknown as UploadWindow
      controller.abort(new Error('the user left'))
      return upload
    })
    expect(outcome).toBe('Error: the user left')
    expect(store.received).toEqual(['POST /v1/tracks/trk_1/versions/uploads', 'PUT /object'])
  })
})
