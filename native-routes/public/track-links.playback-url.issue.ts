import { issue } from '#contracts/public.track-links.playback-url.ts'
import { defineRoute } from '../define-route.ts'
import { signPlayback } from '../tracks/sign-media.ts'
import { recordVisit } from '../visits.ts'

export const issuePublicTrackPlaybackUrl = defineRoute(issue, async ({ link, query }, ports) => {
  const { trackId } = link
  const playback = await signPlayback(trackId, ports)
  await recordVisit(ports, link, { type: 'track.played', trackId, ...query })
  return playback
})
