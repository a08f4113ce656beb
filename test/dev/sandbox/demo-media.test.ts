import { beforeAll, describe, expect, it } from 'vitest'
import { seedDemoCatalogue } from '#dev/sandbox/demo-catalogue.ts'
import { demoSongs } from '#dev/sandbox/demo-media/songs.ts'
import { synthesizeSong } from '#dev/sandbox/demo-media/synthesize.ts'
import { uploadDemoMedia } from '#dev/sandbox/demo-media/upload-demo-media.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { startTestJobs, waitForProcessing } from '#test/support/jobs.ts'

describe("the demo tracks' sound and artwork", { timeout: 60_000 }, () => {
  const gateway = startTestGateway({ storage: true })
  startTestJobs(gateway)

  let alice: TestAccount
  const [deleted, ...songs] = demoSongs
  beforeAll(async () => {
    await seedDemoCatalogue(gateway.database.url)
    await gateway.database.sql`delete from tracks where id = ${deleted!.trackId}`
    alice = await gateway.signUp({ accountId: 'acct_alice', email: 'alice@example.test', plan: 'free' })
    await uploadDemoMedia({ url: gateway.url, token: alice.token })
  }, 60_000)

  it('are processed like any upload, so each track plays for 10 to 20 s and has its own waveform', async () => {
    const waveforms = new Set<string>()
    for (const { trackId } of songs) {
      const { readiness } = await waitForProcessing(alice, trackId)
      expect([readiness.playback.status, readiness.waveform.status]).toEqual(['ready', 'ready'])
      const { url } = (await alice.get(`/v1/tracks/${trackId}/playback-url`)).body
      expect((await fetch(url)).headers.get('content-type')).toBe('audio/wav')
      const { body: peaks } = await alice.get(`/v1/tracks/${trackId}/peaks`)
      expect(peaks).toMatchObject({ channels: 2, sampleRate: 44_100 })
      expect(peaks.durationMs).toBeGreaterThan(10_000)
      expect(peaks.durationMs).toBeLessThan(20_000)
      const loudest = Math.max(...peaks.data)
      expect(loudest).toBeGreaterThan(60)
      expect(loudest).toBeLessThan(127)
      waveforms.add(JSON.stringify(peaks.data))
    }
    expect(waveforms.size).toBe(songs.length)
  })

  it('include a different square image for each track', async () => {
    const images = new Set<string>()
    for (const { trackId } of songs) {
      await waitForProcessing(alice, trackId)
      const { artwork } = (await alice.get(`/v1/tracks/${trackId}/media-assets`)).body
      expect(artwork).toMatchObject([{ status: 'ready', contentType: 'image/png', width: 400, height: 400 }])
    }
    const { tracks } = (await gateway.request('GET', '/v1/public/pack-links/harbour-ep')).body
    for (const { artworkUrl } of tracks) images.add(await (await fetch(artworkUrl)).text())
    expect(images.size).toBe(tracks.length)
  })

  it('are not uploaded again at the next start, even if a track was deleted', async () => {
    const countUploads = async () =>
      (await gateway.database.sql`select count(*)::int as count from uploads`)[0]?.count
    expect(await countUploads()).toBe(2 * songs.length)
    await uploadDemoMedia({ url: gateway.url, token: alice.token })
    expect(await countUploads()).toBe(2 * songs.length)
  })

  it('contain the same audio bytes each time', () => {
    expect(synthesizeSong(songs[0]!).equals(synthesizeSong(songs[0]!))).toBe(true)
  })
})
