import { issue } from '#contracts/public.track-links.playback-url.ts'
import { defineRoute } from '../define-route.ts'
import { issuePlaybackOf } from '../tracks/sign-media.ts'
import { recordVisit } from '../visits.ts'

export const playSharedTrack = defineRoute(issue, async ({ link, query }, ports) => {
  const { trackId, durationMs } = link
  const playback = await issuePlaybackOf({ id: trackId, durationMs }, ports)
  await recordVisit(ports, link, { type: 'track.played', trackId, ...query })
  return playback
})
