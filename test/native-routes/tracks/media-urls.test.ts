import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestJobs, waitForProcessing } from '#test/support/jobs.ts'
import { readMediaFile, wav } from '#test/support/media/audio-files.ts'
import { createFile, uploadFile } from '#test/support/uploads.ts'

describe('the URLs from tracks.playback-url.issue and tracks.download-url.issue', () => {
  const gateway = startTestGateway({
    storage: true,
    environment: { PLAYBACK_URL_TTL_S: '120', DOWNLOAD_URL_TTL_S: '60' },
  })
  startTestJobs(gateway)
  const bytes = wav()
  const signUp = async () => {
    const account = await gateway.signUp()
    return { account, trackId: await insertTrackOf(gateway.database.sql, account.accountId) }
  }
  const withAudio = async (fileName = 'Größe.wav') => {
    const owner = await signUp()
    const version = await uploadFile(owner.account, owner.trackId, createFile({ bytes, fileName }))
    await waitForProcessing(owner.account, owner.trackId)
    return { ...owner, version }
  }
  const eventsOf = (trackId: string) =>
    gateway.database.sql`select owner_id, type, link_kind from engagement_events where track_id = ${trackId}`

  it('for playback give access to the current audio and support range requests', async () => {
    const { account, trackId, version } = await withAudio()
    const { status, body } = await account.get(`/v1/tracks/${trackId}/playback-url`)
    expect(status).toBe(200)
    expect(body).toEqual({
      trackId,
      versionId: version.versionId,
      assetId: version.assetId,
      url: expect.stringMatching(/^http/),
      contentType: 'audio/wav',
      byteSize: bytes.length,
      durationMs: 1000,
      expiresAt: expect.stringMatching(/Z$/),
    })
    expect((Date.parse(body.expiresAt) - Date.now()) / 1000).toBeGreaterThan(110)
    expect((Date.parse(body.expiresAt) - Date.now()) / 1000).toBeLessThanOrEqual(120)
    const whole = await fetch(body.url)
    expect(whole.headers.get('content-type')).toBe('audio/wav')
    expect(whole.headers.get('accept-ranges')).toBe('bytes')
    expect(await whole.bytes()).toEqual(bytes)
    const part = await fetch(body.url, { headers: { range: 'bytes=100-199' } })
    expect(part.status).toBe(206)
    expect(part.headers.get('content-range')).toBe(`bytes 100-199/${bytes.length}`)
    expect(await part.bytes()).toEqual(bytes.slice(100, 200))
    expect(await eventsOf(trackId)).toEqual([])
  })

  it('for downloads give access to the current audio under its file name, and are recorded', async () => {
    const { account, trackId, version } = await withAudio()
    const { status, body } = await account.get(`/v1/tracks/${trackId}/download-url`)
    expect(status).toBe(200)
    expect(body).toEqual({
      trackId,
      versionId: version.versionId,
      assetId: version.assetId,
      url: expect.stringMatching(/^http/),
      fileName: 'Größe.wav',
      contentType: 'audio/wav',
      byteSize: bytes.length,
      expiresAt: expect.stringMatching(/Z$/),
    })
    const response = await fetch(body.url)
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="Gr__e.wav"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.wav`,
    )
    expect(await response.bytes()).toEqual(bytes)
    expect(await eventsOf(trackId)).toEqual([
      { owner_id: account.accountId, type: 'track.downloaded', link_kind: null },
    ])
  })

  it('do not count as a download for a HEAD request or an error response', async () => {
    const { account, trackId } = await withAudio()
    await gateway.request('HEAD', `/v1/tracks/${trackId}/download-url`, { token: account.token })
    await account.get(`/v1/tracks/${trackId}/download-url?assetId=unknown`)
    expect(await eventsOf(trackId)).toEqual([])
  })

  it('give access to any ready file of the track', async () => {
    const { account, trackId } = await withAudio()
    const png = createFile({
      fileName: 'cover.png',
      contentType: 'image/png',
      bytes: await readMediaFile('cover.png'),
    })
    const { assetId } = await uploadFile(account, trackId, png, 'artwork')
    const path = `/v1/tracks/${trackId}/download-url?assetId=${assetId}`
    await expect.poll(async () => (await account.get(path)).status, { timeout: 10_000 }).toBe(200)
    const { body } = await account.get(path)
    expect(body).toMatchObject({ assetId, versionId: null, fileName: 'cover.png' })
    expect(await (await fetch(body.url)).bytes()).toEqual(png.bytes)
  })

  it('are not issued while there is no ready audio', async () => {
    const { account, trackId } = await signUp()
    for (const kind of ['playback-url', 'download-url']) {
      const response = await account.get(`/v1/tracks/${trackId}/${kind}`)
      expect(response.status).toBe(404)
      expect(response.body).toEqual(errorBody('playback_not_found'))
    }
  })

  it("are not issued for an unknown file or for another track's file", async () => {
    const { account, trackId } = await withAudio()
    const other = await withAudio()
    for (const assetId of [other.version.assetId, 'unknown', 'no%20id', '']) {
      const response = await account.get(`/v1/tracks/${trackId}/download-url?assetId=${assetId}`)
      expect(response.status).toBe(404)
      expect(response.body).toEqual(errorBody('asset_not_found'))
    }
  })

  it('are the only access to stored files, because other responses contain no storage keys', async () => {
    const { account, trackId } = await withAudio()
    for (const resource of ['versions', 'media-assets', 'processing-status', 'stems']) {
      const { body } = await account.get(`/v1/tracks/${trackId}/${resource}`)
      expect(JSON.stringify(body)).not.toMatch(/storageKey|assets\//)
    }
  })
})
