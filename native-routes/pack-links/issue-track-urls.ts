import { ApiError } from '#contracts/errors.ts'
import type { ReadPorts } from '../ports.ts'
import { requireCurrentAudio, signDownload, signPlayback } from '../tracks/sign-media.ts'
import { recordVisit } from '../visits.ts'
import { type PackVisit, visitorOf } from './present-pack.ts'
import { requireTrackOfPack, type SharedPack } from './require-pack-link.ts'

interface MediaInput {
  readonly link: SharedPack
  readonly params: { readonly trackId: string }
  readonly query: PackVisit
}

export const issuePackTrackPlaybackUrl = async ({ link, params, query }: MediaInput, ports: ReadPorts) => {
  const track = await requireTrackOfPack(ports.db.read, link, params.trackId)
  const playback = await signPlayback(track.id, ports)
  await recordVisit(ports, link, { type: 'track.played', trackId: track.id, ...visitorOf(query) })
  return playback
}

/** `disableDownloads` applies to the owner too. */
export const issuePackTrackDownloadUrl = async ({ link, params, query }: MediaInput, ports: ReadPorts) => {
  const track = await requireTrackOfPack(ports.db.read, link, params.trackId)
  if (link.disableDownloads) throw new ApiError('downloads_disabled')
  const download = await signDownload(await requireCurrentAudio(ports.db.read, track.id), ports)
  await recordVisit(ports, link, { type: 'track.downloaded', trackId: track.id, ...visitorOf(query) })
  return download
}
