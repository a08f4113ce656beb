import { issue } from '#contracts/tracks.playback-url.ts'
import { defineRoute } from '../define-route.ts'
import { signPlayback } from './sign-media.ts'

export const issuePlaybackUrl = defineRoute(issue, ({ track }, ports) => signPlayback(track.id, ports))
