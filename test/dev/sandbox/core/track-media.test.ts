import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CoreResponse, makeTrack, timestamp } from './running-core.ts'
import { markReady, runStoringCore, type StoringCore, upload } from './storing-core.ts'

let core: StoringCore
beforeAll(async () => {
  core = await runStoringCore()
})
afterAll(() => core.close())

const createPlayableTrack = async (fileName?: string) => {
  const alice = await core.signIn()
  const trackId = await makeTrack(alice)
  const { versionId, assetId } = await upload(
    alice,
    trackId,
    'WAVE',
    fileName === undefined ? {} : { fileName },
  )
  await markReady(core, versionId)
  return { alice, trackId, track: `/v1/tracks/${trackId}`, versionId, assetId }
}

const listEvents = (trackId: string) => core.sql`
  select type, owner_id, link_kind from engagement_events where track_id = ${trackId} order by occurred_at`

const fetchText = async ({ body }: CoreResponse, headers: Record<string, string> = {}) => {
  const response = await fetch(body.url, { headers })
  return [response.status, await response.text()]
}

describe('tracks.playback-url.issue', () => {
  it("returns a URL for the current version's original, and the URL supports range requests", async () => {
    const { alice, trackId, track, versionId, assetId } = await createPlayableTrack()
    const issued = await alice.get(`${track}/playback-url`)
    expect(issued.body).toEqual({
      trackId,
      versionId,
      assetId,
      url: expect.stringContaining(core.storageEndpoint),
      contentType: 'audio/wav',
      byteSize: 4,
      durationMs: 1000,
      expiresAt: expect.stringMatching(timestamp),
    })
    expect(await fetchText(issued)).toEqual([200, 'WAVE'])
    expect((await fetch(issued.body.url)).headers.get('content-type')).toBe('audio/wav')
    expect(await fetchText(issued, { range: 'bytes=1-2' })).toEqual([206, 'AV'])
    expect(await listEvents(trackId)).toEqual([])
  })

  it('returns playback_not_found before the version is ready', async () => {
    const alice = await core.signIn()
    const trackId = await makeTrack(alice)
    for (const prepare of [() => {}, () => upload(alice, trackId, 'WAVE')]) {
      await prepare()
      for (const path of ['playback-url', 'download-url']) {
        const { status, body } = await alice.get(`/v1/tracks/${trackId}/${path}`)
        expect([status, body]).toEqual([404, { error: 'playback_not_found' }])
      }
    }
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

  it('records a download, except for HEAD and shadow requests', async () => {
    const { alice, trackId, track } = await createPlayableTrack()
    const headers = { authorization: `Bearer ${alice.token}` }
    await core.send(`${track}/download-url`, { method: 'HEAD', headers })
    await alice.get(`${track}/download-url`, { 'x-service-shadow': '1' })
    expect(await listEvents(trackId)).toEqual([])
    await alice.get(`${track}/download-url`)
    expect(await listEvents(trackId)).toEqual([
      { type: 'track.downloaded', owner_id: alice.accountId, link_kind: null },
    ])
  })

  it('returns a URL for any other file of the track', async () => {
    const { alice, track, trackId } = await createPlayableTrack()
    const { assetId } = await upload(alice, trackId, 'PDF', {
      folder: 'documents',
      contentType: 'application/pdf',
      fileName: 'deal.pdf',
    })
    const early = await alice.get(`${track}/download-url?assetId=${assetId}`)
    expect([early.status, early.body]).toEqual([404, { error: 'asset_not_found' }])
    await core.sql`update media_assets set status = 'ready' where id = ${assetId}`
    const issued = await alice.get(`${track}/download-url?assetId=${assetId}`)
    expect(issued.body).toMatchObject({ assetId, versionId: null, fileName: 'deal.pdf' })
    expect(await fetchText(issued)).toEqual([200, 'PDF'])
  })

  it('returns 404 for a file that belongs to another track', async () => {
    const [one, other] = [await createPlayableTrack(), await createPlayableTrack()]
    for (const assetId of [other.assetId, 'none', 'not an id', '']) {
      const { status, body } = await one.alice.get(`${one.track}/download-url?assetId=${assetId}`)
      expect([status, body]).toEqual([404, { error: 'asset_not_found' }])
    }
  })
})

describe('tracks.media-assets.list', () => {
  it('lists assets newest first, with URLs for those that are ready', async () => {
    const alice = await core.signIn()
    const trackId = await makeTrack(alice)
    const png = { folder: 'artwork', contentType: 'image/png', fileName: 'a.png' } as const
    const first = await upload(alice, trackId, 'PNG', png)
    const second = await upload(alice, trackId, 'PNGG', png)
    await core.sql`
      update media_assets set status = 'ready', is_primary = true, width = 3, height = 4 where id = ${first.assetId}`
    const { body } = await alice.get(`/v1/tracks/${trackId}/media-assets`)
    expect(body).toMatchObject({ trackId, documents: [] })
    expect(body.artwork.map((asset: { id: string }) => asset.id)).toEqual([second.assetId, first.assetId])
    expect(body.artwork[1]).toEqual({
      id: first.assetId,
      kind: 'artwork',
      fileName: 'a.png',
      contentType: 'image/png',
      byteSize: 3,
      status: 'ready',
      isPrimary: true,
      width: 3,
      height: 4,
      documentType: null,
      title: null,
      url: expect.any(String),
      urlExpiresAt: expect.stringMatching(timestamp),
      createdAt: expect.stringMatching(timestamp),
      updatedAt: expect.stringMatching(timestamp),
    })
    expect(await (await fetch(body.artwork[1].url)).text()).toBe('PNG')
  })
})
