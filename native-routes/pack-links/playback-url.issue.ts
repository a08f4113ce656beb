import { issue } from '#contracts/pack-links.playback-url.ts'
import { defineRoute } from '../define-route.ts'
import { issuePackTrackPlaybackUrl } from './issue-track-urls.ts'

export const issuePackPlaybackUrl = defineRoute(issue, issuePackTrackPlaybackUrl)
