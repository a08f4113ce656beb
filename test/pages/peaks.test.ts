import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBrowser } from '#test/support/browser.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'

const root = join(import.meta.dirname, '../..')
const scripts = ['peaks.js/dist/peaks.min.js', 'wavesurfer.js/dist/wavesurfer.min.js']

const page = `<!doctype html><meta charset="utf-8"><title>Waveforms</title>
<div id="peaks" style="width:400px;height:200px"></div><div id="wavesurfer" style="width:400px"></div>
${scripts.map((path) => `<script src="/${path}"></script>`).join('')}`

const startPageServer = async () => {
  const server = createServer(async ({ url = '' }, response) => {
    if (url === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(page)
    if (!scripts.includes(url.slice(1))) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'text/javascript' })
    response.end(await readFile(join(root, 'node_modules', url)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => new Promise<unknown>((resolve) => server.close(resolve)),
  }
}

// Four quarters of different loudness, with one point per pixel.
const width = 400
const loudness = [0, 0.5, 1, 0.25]
const samples = Int8Array.from({ length: width * 2 }, (_, index) => {
  const amplitude = Math.round((loudness[Math.floor(index / 2 / (width / 4))] ?? 0) * 127)
  return index % 2 === 0 ? -amplitude : amplitude
})

const color = 'rgb(255, 0, 0)'

/** Measures how high the waveform is drawn inside an element, in the middle of each quarter. */
const measureQuarters = (opened: Page, selector: string): Promise<readonly number[]> =>
  opened.evaluate(
    ([wanted, quarters]) => {
      const listCanvases = (node: Element | ShadowRoot): HTMLCanvasElement[] =>
        [...node.querySelectorAll('*')].flatMap((each) => [
          ...(each instanceof HTMLCanvasElement ? [each] : []),
          ...(each.shadowRoot ? listCanvases(each.shadowRoot) : []),
        ])
      const measureColumn = (canvas: HTMLCanvasElement, x: number) => {
        const { data } = canvas.getContext('2d')!.getImageData(x, 0, 1, canvas.height)
        let count = 0
        for (let at = 0; at < data.length; at += 4)
          if (data[at]! > 200 && data[at + 1]! < 50 && data[at + 3]! > 200) count++
        return count
      }
      const canvases = listCanvases(document.querySelector(wanted)!).filter(({ width }) => width > 0)
      return Array.from({ length: quarters }, (_, quarter) =>
        Math.max(
          ...canvases.map((canvas) =>
            measureColumn(canvas, Math.floor((canvas.width * (quarter + 0.5)) / quarters)),
          ),
        ),
      )
    },
    [selector, loudness.length] as const,
  )

const expectWaveform = (heights: readonly number[]) => {
  const highest = Math.max(...heights)
  expect(highest).toBeGreaterThan(50)
  for (const [quarter, share] of loudness.entries())
    expect(Math.abs((heights[quarter] ?? 0) / highest - share), `quarter ${quarter}`).toBeLessThan(0.05)
}

describe('peaks as audiowaveform JSON', { timeout: 60_000 }, () => {
  let server: Awaited<ReturnType<typeof startPageServer>>
  const environment = { CORS_ORIGINS: '' }
  beforeAll(async () => {
    server = await startPageServer()
    environment.CORS_ORIGINS = server.origin
  })
  const gateway = startTestGateway({ environment })
  const browser = startTestBrowser()
  afterAll(() => server.close())

  /** Opens a page that requests a track's peaks from the gateway and stores them as `window.waveform`. */
  const openWithPeaks = async (query = '') => {
    const { sql } = gateway.database
    const owner = await gateway.signUp()
    const trackId = await insertTrackOf(sql, owner.accountId)
    const version = await insertVersion(sql, trackId)
    await sql`insert into track_peaks ${sql({
      version_id: version.id,
      track_id: trackId,
      asset_id: version.assetId,
      channels: 1,
      sample_rate: 44100,
      samples_per_pixel: 256,
      bits: 8,
      length: width,
      data: Buffer.from(samples.buffer),
      duration_ms: Math.round((width * 256 * 1000) / 44100),
    })}`
    const opened = await browser.openPage()
    await opened.goto(server.origin)
    const url = `${gateway.url}/v1/tracks/${trackId}/peaks?format=audiowaveform${query}`
    await opened.evaluate(
      async ([address, token]) => {
        const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
        Object.assign(window, { waveform: await response.json() })
      },
      [url, owner.token] as const,
    )
    return opened
  }

  // peaks.js accepts only 8 bits.
  it.each(['', '&bits=8'])('can be drawn by peaks.js unchanged: format=audiowaveform%s', async (query) => {
    const opened = await openWithPeaks(query)
    await opened.evaluate(async (waveformColor) => {
      const { peaks, waveform } = window as unknown as {
        peaks: { init(options: object, done: (error: unknown) => void): void }
        waveform: { bits: number }
      }
      const player = {
        init: async () => {},
        destroy() {},
        play: async () => {},
        pause() {},
        seek() {},
        isPlaying: () => false,
        isSeeking: () => false,
        getCurrentTime: () => 0,
        getDuration: () => 2.3,
      }
      const zoomview = {
        container: document.getElementById('peaks'),
        waveformColor,
        playheadColor: 'transparent',
        axisGridlineColor: 'transparent',
        axisLabelColor: 'transparent',
      }
      const options = { zoomview, player, zoomLevels: [256], waveformData: { json: waveform } }
      await new Promise<void>((resolve, reject) => {
        peaks.init(options, (error) => (error ? reject(error) : resolve()))
      })
    }, color)
    await expect.poll(async () => Math.max(...(await measureQuarters(opened, '#peaks')))).toBeGreaterThan(0)
    expectWaveform(await measureQuarters(opened, '#peaks'))
  })

  it.each([8, 16])('can be drawn by wavesurfer.js at %i bits', async (bits) => {
    const opened = await openWithPeaks(`&bits=${bits}`)
    await opened.evaluate((waveColor) => {
      const { WaveSurfer, waveform } = window as unknown as {
        WaveSurfer: { create(options: object): unknown }
        waveform: {
          bits: number
          data: number[]
          length: number
          sample_rate: number
          samples_per_pixel: number
        }
      }
      const { bits, data, length, sample_rate, samples_per_pixel } = waveform
      WaveSurfer.create({
        container: '#wavesurfer',
        height: 200,
        waveColor,
        progressColor: waveColor,
        cursorWidth: 0,
        peaks: [data.map((sample) => sample / 2 ** (bits - 1))],
        duration: (length * samples_per_pixel) / sample_rate,
      })
    }, color)
    await expect
      .poll(async () => Math.max(...(await measureQuarters(opened, '#wavesurfer'))))
      .toBeGreaterThan(0)
    expectWaveform(await measureQuarters(opened, '#wavesurfer'))
  })
})
