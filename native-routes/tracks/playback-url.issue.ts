import { ApiError } from '#contracts/errors.ts'
import { issue } from '#contracts/tracks.playback-url.ts'
import { findCurrentAudio } from '#db/queries/media-assets.ts'
import { defineRoute } from '../define-route.ts'

export const issuePlaybackUrl = defineRoute(issue, async ({ track }, { db, storage, media }) => {
  const audio = await findCurrentAudio(db.read, track.id)
  if (audio?.status !== 'ready' || audio.versionId === null) throw new ApiError('playback_not_found')
  const address = await storage.presignGet(audio.storageKey, {
    expiresInS: media.lifetimeS.playback,
    contentType: audio.contentType,
  })
  return {
    ...address,
    trackId: track.id,
    versionId: audio.versionId,
    assetId: audio.id,
    contentType: audio.contentType,
    byteSize: audio.byteSize,
    durationMs: track.durationMs,
  }
})
