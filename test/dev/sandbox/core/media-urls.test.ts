import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeTrack, timestamp } from './running-core.ts'
import {
  createUploadIntent,
  markReady,
  putBytes,
  runStoringCore,
  type StoringCore,
  upload,
} from './storing-core.ts'

let core: StoringCore
beforeAll(async () => {
  core = await runStoringCore()
})
afterAll(() => core.close())

const createPlayableTrack = async (fileName = 'tide.wav') => {
  const alice = await core.signIn()
  const trackId = await makeTrack(alice)
  const { versionId, assetId } = await upload(alice, trackId, 'WAVE', { fileName })
  await markReady(core, versionId)
  return { alice, trackId, track: `/v1/tracks/${trackId}`, versionId, assetId }
}

describe('tracks.playback-url.issue', () => {
  it("returns a URL that supports range requests, for the current version's original file", async () => {
    const { alice, trackId, track, versionId, assetId } = await createPlayableTrack()
    const { body } = await alice.get(`${track}/playback-url`)
    expect(body).toEqual({
      trackId,
      versionId,
      assetId,
      url: expect.stringContaining(core.storageEndpoint),
      contentType: 'audio/wav',
      byteSize: 4,
      durationMs: 1000,
      expiresAt: expect.stringMatching(timestamp),
    })
    const whole = await fetch(body.url)
    expect([whole.status, await whole.text()]).toEqual([200, 'WAVE'])
    expect(whole.headers.get('content-type')).toBe('audio/wav')
    const part = await fetch(body.url, { headers: { range: 'bytes=1-2' } })
    expect([part.status, await part.text()]).toEqual([206, 'AV'])
    expect(await core.sql`select 1 from engagement_events where track_id = ${trackId}`).toEqual([])
  })
})

describe('tracks.download-url.issue', () => {
  it.each(['tide.wav', `It's "slow" (100%) * ü 潮.wav`, 'a; b, c.wav'])(
    'returns a URL that downloads the file as %j',
    async (fileName) => {
      const { alice, trackId, track, versionId, assetId } = await createPlayableTrack(fileName)
      const issued = await alice.get(`${track}/download-url`)
      expect(issued.body).toEqual({
        trackId,
        versionId,
        assetId,
        url: expect.any(String),
        fileName,
        contentType: 'audio/wav',
        byteSize: 4,
        expiresAt: expect.stringMatching(timestamp),
      })
      const response = await fetch(issued.body.url)
      expect([response.status, await response.text()]).toEqual([200, 'WAVE'])
      const disposition = response.headers.get('content-disposition') ?? ''
      const [, extended = ''] =
        /^attachment; filename="[ -~]*"; filename\*=UTF-8''(\S+)$/.exec(disposition) ?? []
      expect(decodeURIComponent(extended)).toBe(fileName)
    },
  )
})

describe('tracks.versions.upload', () => {
  it('signs the URL only for the declared size and content type', async () => {
    const alice = await core.signIn()
    const intent = await createUploadIntent(alice, await makeTrack(alice), 'WAVE')
    expect(await putBytes(intent, 'WAVES')).toBe(403)
    expect(await putBytes({ ...intent, requiredHeaders: { 'content-type': 'text/html' } }, 'WAVE')).toBe(403)
  })

  it('builds the finalize URL from PUBLIC_BASE_URL or the forwarded headers', async () => {
    const alice = await core.signIn()
    const request = {
      method: 'POST',
      body: '{"fileName":"a.wav","contentType":"audio/wav","byteSize":1}',
      headers: {
        authorization: `Bearer ${alice.token}`,
        'x-forwarded-host': 'api.example.test',
        'x-forwarded-proto': 'https',
      },
    }
    const { body } = await core.send(`/v1/tracks/${await makeTrack(alice)}/versions/uploads`, request)
    expect(body.finalizeUrl).toMatch(/^https:\/\/api\.example\.test\/v1\/tracks\//)

    const other = await runStoringCore({ PUBLIC_BASE_URL: 'https://music.example.test' })
    onTestFinished(other.close)
    const bob = await other.signIn()
    const intent = await createUploadIntent(bob, await makeTrack(bob), 'WAVE')
    expect(intent.finalizeUrl).toMatch(/^https:\/\/music\.example\.test\/v1\/tracks\//)
  })
})
