import { issue } from '#contracts/public.pack-links.playback-url.ts'
import { defineRoute } from '../define-route.ts'
import { playTrackOfPack } from '../pack-links/issue-media-of-pack.ts'

export const issuePublicPackPlaybackUrl = defineRoute(issue, playTrackOfPack)
