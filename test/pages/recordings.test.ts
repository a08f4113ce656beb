import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { createClient, uploadVersion } from '#client/index.ts'
import { bundleModule } from '#test/packages/client/bundle.ts'
import { startTestBrowser } from '#test/support/browser.ts'
import { ffmpeg } from '#test/support/ffmpeg.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestJobs, waitForProcessing } from '#test/support/jobs.ts'
import { startAnalyses } from '#test/support/media/analyses.ts'

interface Recording {
  readonly mimeType: string
  /** The interval at which the recorder hands over its data, in milliseconds; null for only once, at the end. */
  readonly timeslice: number | null
}

interface RecordingWindow {
  readonly client: {
    readonly createClient: typeof createClient
    readonly uploadVersion: typeof uploadVersion
  }
  recorded: Blob
}

const isSupported = (page: Page, mimeType: string) =>
  page.evaluate((type) => MediaRecorder.isTypeSupported(type), mimeType)

const record = (page: Page, recording: Recording) =>
  page.evaluate(async ({ mimeType, timeslice }: Recording) => {
    const context = new AudioContext()
    await context.resume()
    const oscillator = new OscillatorNode(context, { frequency: 440 })
    const destination = new MediaStreamAudioDestinationNode(context)
    oscillator.connect(new GainNode(context, { gain: 0.5 })).connect(destination)
    oscillator.start()
    const recorder = new MediaRecorder(destination.stream, { mimeType })
    const parts: Blob[] = []
    recorder.ondataavailable = ({ data }) => data.size > 0 && parts.push(data)
    const stopped = new Promise((resolve) => {
      recorder.onstop = resolve
    })
    if (timeslice === null) recorder.start()
    else recorder.start(timeslice)
    await new Promise((resolve) => setTimeout(resolve, 2000))
    recorder.stop()
    await stopped
    await context.close()
    Object.assign(window, { recorded: new Blob(parts, { type: recorder.mimeType }) })
    return parts.length
  }, recording)

const upload = (page: Page, trackId: string, token: string) =>
  page.evaluate(
    async ([track, bearer]) => {
      const { client, recorded } = window as unknown as RecordingWindow
      const file = new File([recorded], 'take', { type: recorded.type })
      const options = { baseUrl: location.origin, getToken: () => bearer }
      await client.uploadVersion(client.createClient(options), { trackId: track, file })
    },
    [trackId, token] as const,
  )

const playToEnd = (page: Page, url: string): Promise<number> =>
  page.evaluate(
    (source) =>
      new Promise<number>((resolve, reject) => {
        const audio = new Audio(source)
        const times = new Set<number>()
        audio.onerror = () => reject(new Error(audio.error?.message))
        audio.ontimeupdate = () => times.add(audio.currentTime)
        audio.onended = () =>
          times.size > 2 ? resolve(audio.currentTime) : reject(new Error('the time did not advance'))
        audio.play().catch(reject)
      }),
    url,
  )

describe("a browser's recording", { timeout: 60_000 }, () => {
  const gateway = startTestGateway({ storage: true })
  startTestJobs(gateway)
  const { analyse } = startAnalyses()
  const browser = startTestBrowser()

  const openPage = async () => {
    const page = await browser.openPage()
    await page.goto(`${gateway.url}/healthz`)
    const { text } = await bundleModule(`export * from '#client/index.ts'`, { globalName: 'client' })
    await page.evaluate(text)
    // Pages may make sound only after the user has interacted with them.
    await page.mouse.click(10, 10)
    return page
  }

  it.for([
    { mimeType: 'audio/webm', timeslice: null },
    { mimeType: 'audio/webm', timeslice: 250 },
    { mimeType: 'audio/mp4', timeslice: null },
    { mimeType: 'audio/mp4', timeslice: 250 },
    { mimeType: 'audio/ogg', timeslice: null },
    { mimeType: 'audio/ogg', timeslice: 250 },
  ])(
    'plays with the right length and waveform: $mimeType with timeslice $timeslice',
    async (recording, { skip }) => {
      const page = await openPage()
      if (!(await isSupported(page, recording.mimeType)))
        skip(`Chromium does not record ${recording.mimeType}`)
      const parts = await record(page, recording)
      if (recording.timeslice !== null) expect(parts).toBeGreaterThan(2)

      const owner = await gateway.signUp()
      const trackId = await insertTrackOf(gateway.database.sql, owner.accountId)
      await upload(page, trackId, owner.token)
      const { readiness } = await waitForProcessing(owner, trackId)
      expect(readiness.playback.status).toBe('ready')

      const { url } = (await owner.get(`/v1/tracks/${trackId}/playback-url`)).body
      const playedMs = 1000 * (await playToEnd(page, url))
      expect(playedMs).toBeGreaterThan(1000)
      const [version] = (await owner.get(`/v1/tracks/${trackId}/versions`)).body.versions
      expect(Math.abs(version.durationMs - playedMs)).toBeLessThan(150)

      // Analysed without a decoder, the file has the same length.
      const stored = await fetch(url)
      const bytes = new Uint8Array(await stored.arrayBuffer())
      const contentType = stored.headers.get('content-type') ?? ''
      const found = await analyse(bytes, contentType, null)
      if (found.failure) throw new Error(found.failure.message)
      expect(Math.abs((found.measures.durationMs ?? 0) - playedMs)).toBeLessThan(150)

      if (!ffmpeg) return
      expect(readiness.waveform.status).toBe('ready')
      const { body: peaks } = await owner.get(`/v1/tracks/${trackId}/peaks`)
      expect(Math.abs(peaks.durationMs - playedMs)).toBeLessThan(150)
      // Checks only the middle half, because there can be silence before the sound.
      const middle = peaks.data.slice(peaks.data.length / 4, (peaks.data.length * 3) / 4)
      expect(Math.abs(Math.max(...middle) - 64)).toBeLessThan(8)
      expect(Math.abs(Math.min(...middle) + 64)).toBeLessThan(8)
    },
  )
})
