import { issue } from '#contracts/pack-links.playback-url.ts'
import { defineRoute } from '../define-route.ts'
import { playTrackOfPack } from './issue-media-of-pack.ts'

export const issuePackPlaybackUrl = defineRoute(issue, playTrackOfPack)
