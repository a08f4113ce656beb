import { type Client, listRecords } from '#client/index.ts'
import { collect } from './collect.ts'
import { catchCode, poll, readPart } from './tour-requests.ts'

export const shareTrack = async (owner: Client, visitor: Client, trackId: string) => {
  const params = { path: { trackId } }
  const link = await owner.post('/v1/tracks/{trackId}/share-links', { params, body: { name: 'For Sam' } })
  const ofLink = { path: { token: link.token } }
  const visit = { params: { ...ofLink, query: { sessionId: 'sam-1', source: 'mail' } } } as const
  const { track } = await visitor.get('/v1/public/track-links/{token}', visit)
  const { url } = await visitor.get('/v1/public/track-links/{token}/playback-url', visit)
  const played = await readPart(url)
  const { totals } = await poll(
    () => owner.get('/v1/analytics/tracks/{trackId}', { params }),
    (report) => report.totals.plays > 0,
  )
  const ofShareLink = { path: { trackId, linkId: link.id } }
  await owner.delete('/v1/tracks/{trackId}/share-links/{linkId}', { params: ofShareLink })
  const revoked = await catchCode(visitor.get('/v1/public/track-links/{token}', { params: ofLink }))
  return { title: track.title, played, plays: totals.plays, revoked }
}

export const sharePack = async (owner: Client, visitor: Client, trackId: string) => {
  const { id: packId } = await owner.post('/v1/packs', { body: { name: 'Tides EP' } })
  const params = { path: { packId } }
  await owner.post('/v1/packs/{packId}/tracks', { params, body: { trackId } })
  const { slug } = await owner.post('/v1/packs/{packId}/links', {
    params,
    body: { accessCode: 'lighthouse' },
  })
  const path = { slug }
  const locked = await catchCode(visitor.get('/v1/public/pack-links/{slug}', { params: { path } }))
  const opened = await visitor.get('/v1/public/pack-links/{slug}', {
    params: { path, query: { accessCode: 'lighthouse' } },
  })
  const body = { email: 'press@example.test' }
  const { status } = await owner.post('/v1/packs/{packId}/invitations', { params, body })
  const invitations = await collect(listRecords(owner, '/v1/packs/{packId}/invitations', { params }))
  return { locked, titles: opened.tracks.map(({ title }) => title), status, invitations: invitations.length }
}
