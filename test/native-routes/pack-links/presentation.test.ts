import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'
import { insertAsset } from '#test/support/track-fixtures.ts'

describe('a shared pack', () => {
  const appOrigin = 'https://app.example.test'
  const gateway = startTestGateway({ environment: { APP_ORIGIN: appOrigin } })
  const start = async (link = {}) => {
    const owner = await gateway.signUp()
    const { sql } = gateway.database
    const { packId, trackIds } = await insertPackOf(sql, owner.accountId, 2)
    const { slug } = await insertPackLink(sql, packId, link)
    return { owner, packId, trackIds, slug, sql }
  }
  const addSilentTrack = async ({ owner, packId, sql }: Awaited<ReturnType<typeof start>>) => {
    const trackId = await insertTrackOf(sql, owner.accountId, 'Silent')
    await sql`insert into pack_tracks (pack_id, track_id, position) values (${packId}, ${trackId}, 2)`
    return trackId
  }

  it.each(['/v1/pack-links/SLUG', '/v1/pack-links/SLUG/presentation', '/v1/public/pack-links/SLUG'])(
    'is presented in track order at %s',
    async (path) => {
      const shared = await start({ name: 'For Sam', accessCode: 'sesame', expiresAt: new Date('2099-01-01') })
      const { owner, packId, trackIds, slug, sql } = shared
      const silent = await addSilentTrack(shared)
      await insertAsset(sql, trackIds[0]!, { kind: 'artwork', content_type: 'image/png', is_primary: true })
      await sql`insert into accounts (id, display_name) values (${owner.accountId}, 'Alice Moreau')`
      const response = await gateway.request(
        'GET',
        `${path.replace('SLUG', slug)}?accessCode=sesame&accessCode=no`,
      )
      expect(response.status).toBe(200)
      expect(response.body).toEqual({
        link: {
          slug,
          name: 'For Sam',
          expiresAt: '2099-01-01T00:00:00.000Z',
          downloadsEnabled: true,
          requiresAccessCode: true,
        },
        pack: {
          id: packId,
          name: 'Harbour EP',
          description: null,
          artworkUrl: null,
          ownerDisplayName: 'Alice Moreau',
          trackCount: 3,
          totalDurationMs: 603_000,
          createdAt: expect.stringMatching(/Z$/),
        },
        tracks: [trackIds[0], trackIds[1], silent].map((id, position) => ({
          id,
          position,
          title: position === 2 ? 'Silent' : `Track ${position}`,
          artist: 'The Owls',
          durationMs: 201_000,
          releaseDate: null,
          artworkUrl: position === 0 ? expect.stringMatching(/^http/) : null,
          downloadable: position < 2,
        })),
      })
    },
  )

  it('marks its tracks as not downloadable if downloads are disabled', async () => {
    const { slug } = await start({ disableDownloads: true })
    const { body } = await gateway.request('GET', `/v1/pack-links/${slug}`)
    expect(body.link.downloadsEnabled).toBe(false)
    expect(body.tracks.map(({ downloadable }: { downloadable: boolean }) => downloadable)).toEqual([
      false,
      false,
    ])
  })

  it('issues playback and download URLs for its own tracks only', async () => {
    const shared = await start()
    const { owner, slug, trackIds, sql } = shared
    const path = `/v1/pack-links/${slug}/tracks`
    const played = await gateway.request('GET', `${path}/${trackIds[1]}/playback-url`)
    expect([played.status, played.body]).toEqual([
      200,
      {
        trackId: trackIds[1],
        versionId: expect.any(String),
        assetId: expect.any(String),
        url: expect.stringMatching(/^http/),
        contentType: 'audio/wav',
        byteSize: 1024,
        durationMs: 201_000,
        expiresAt: expect.stringMatching(/Z$/),
      },
    ])
    const saved = await gateway.request('GET', `${path}/${trackIds[1]}/download-url`)
    expect(saved.body).toMatchObject({ trackId: trackIds[1], fileName: 'night-drive.wav' })
    expect(saved.body.url).toContain('attachment')

    const silent = await addSilentTrack(shared)
    const outside = await insertTrackOf(sql, owner.accountId)
    for (const [id, error] of [
      [silent, 'playback_not_found'],
      [outside, 'track_not_found'],
      ['unknown', 'track_not_found'],
      ['no%20id', 'track_not_found'],
    ] as const)
      for (const kind of ['playback-url', 'download-url']) {
        const response = await gateway.request('GET', `${path}/${id}/${kind}`)
        expect([response.status, response.body]).toEqual([404, errorBody(error)])
      }
  })

  it('accepts share events for the pack and its tracks, and rejects invalid ones', async () => {
    const { owner, slug, trackIds, sql } = await start()
    const report = (body?: unknown) =>
      gateway.request('POST', `/v1/pack-links/${slug}/share-events`, body === undefined ? {} : { body })
    for (const body of [
      undefined,
      {},
      { eventType: 'progress', trackId: trackIds[0], positionMs: 0, extra: 1 },
    ])
      expect((await report(body)).body).toEqual({ ok: true })
    const outside = await insertTrackOf(sql, owner.accountId)
    expect((await report({ trackId: outside })).body).toEqual(errorBody('track_not_found'))
    for (const body of [
      { eventType: 'liked' },
      { channel: 'fax' },
      { positionMs: -1 },
      { durationMs: 0 },
      { source: 7 },
      [],
    ])
      expect((await report(body)).status).toBe(400)
    expect((await report('{"broken')).body.error).toBe('invalid_json')
  })

  it('allows cross-origin requests only from the app', async () => {
    const { slug } = await start()
    const path = `/v1/pack-links/${slug}`
    for (const [at, origin, allowed] of [
      [path, appOrigin, appOrigin],
      ['/v1/public/track-links/unknown', appOrigin, appOrigin],
      [path, 'https://elsewhere.test', null],
      ['/v1/libraries', appOrigin, null],
    ] as const) {
      const response = await gateway.request('GET', at, { headers: { origin } })
      expect(response.headers.get('access-control-allow-origin'), `${at} ${origin}`).toBe(allowed)
    }
    const preflight = await gateway.request('OPTIONS', path, {
      headers: { origin: appOrigin, 'access-control-request-method': 'POST' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, appOrigin])
    const other = await gateway.request('GET', '/v1/libraries')
    expect(other.headers.get('x-robots-tag')).toBeNull()
  })
})
