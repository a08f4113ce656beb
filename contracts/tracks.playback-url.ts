import { contract } from './shared/contract.ts'
import { PlaybackUrl } from './shared/media-urls.ts'

export const issue = contract('tracks.playback-url.issue', {
  responses: { 200: PlaybackUrl },
  errors: ['playback_not_found'],
})
