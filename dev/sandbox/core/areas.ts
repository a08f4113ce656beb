import { billing } from './areas/billing.ts'
import { libraries } from './areas/libraries.ts'
import { libraryShares } from './areas/library-shares.ts'
import { libraryTracks } from './areas/library-tracks.ts'
import { trackMediaAssets, trackMediaUrls } from './areas/media-urls.ts'
import { packInvitations } from './areas/pack-invitations.ts'
import { packLinks } from './areas/pack-links.ts'
import { packTracks } from './areas/pack-tracks.ts'
import { packs } from './areas/packs.ts'
import { publicTrackLinks } from './areas/public-track-links.ts'
import { sharedPacks } from './areas/shared-packs.ts'
import { splitSheet } from './areas/split-sheet.ts'
import { publicSplitSheets, splitSheetLinks } from './areas/split-sheet-links.ts'
import { trackAnalysis } from './areas/track-analysis.ts'
import { trackLyrics } from './areas/track-lyrics.ts'
import { trackProcessing } from './areas/track-processing.ts'
import { trackShareLinks } from './areas/track-share-links.ts'
import { trackUploads } from './areas/track-uploads.ts'
import { trackVersions } from './areas/track-versions.ts'
import { trackMetadata, tracks } from './areas/tracks.ts'
import type { RegisterRoutes } from './create-app.ts'

export const areas: readonly RegisterRoutes[] = [
  tracks,
  packs,
  packTracks,
  packLinks,
  packInvitations,
  libraries,
  libraryTracks,
  libraryShares,
  billing,
  sharedPacks,
  publicTrackLinks,
  publicSplitSheets,
]

/** The areas below `/v1/tracks/:trackId/`. */
export const trackAreas: readonly RegisterRoutes[] = [
  trackMetadata,
  trackLyrics,
  trackAnalysis,
  splitSheet,
  trackVersions,
  trackMediaAssets,
  trackMediaUrls,
  trackProcessing,
  trackUploads,
  trackShareLinks,
  splitSheetLinks,
]
