import { issue } from '#contracts/public.pack-links.playback-url.ts'
import { defineRoute } from '../define-route.ts'
import { issuePackTrackPlaybackUrl } from '../pack-links/issue-track-urls.ts'

export const issuePublicPackPlaybackUrl = defineRoute(issue, issuePackTrackPlaybackUrl)
