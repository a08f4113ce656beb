import * as z from 'zod'
import type { RegisterRoutes } from '../create-app.ts'
import { idOrNull, readQuery } from '../input.ts'
import { requireActor } from '../sign-in.ts'
import { requireOwnedTrackId } from '../track-scope.ts'
import { issueAssetUrl, issueDownloadUrl, issuePlaybackUrl } from './media-urls.ts'

const DownloadQuery = z.object({ assetId: z.string('expected one value').optional() })

export const trackMediaUrls: RegisterRoutes = (app, parts) => {
  app.get('/v1/tracks/:trackId/playback-url', (request) =>
    issuePlaybackUrl(parts, requireOwnedTrackId(request)),
  )

  app.get('/v1/tracks/:trackId/download-url', async (request) => {
    const trackId = requireOwnedTrackId(request)
    const { assetId } = readQuery(request, DownloadQuery)
    const download =
      assetId === undefined
        ? await issueDownloadUrl(parts, trackId)
        : await issueAssetUrl(parts, trackId, idOrNull(assetId))
    await parts.recordEvent(request, {
      type: 'track.downloaded',
      ownerId: requireActor(request).accountId,
      trackId,
    })
    return download
  })
}
