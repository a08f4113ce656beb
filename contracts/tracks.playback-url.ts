import { defineContract } from './shared/contract.ts'
import { PlaybackUrl } from './shared/media-urls.ts'

export const issue = defineContract('tracks.playback-url.issue', {
  responses: { 200: PlaybackUrl },
  errors: ['playback_not_found'],
})
