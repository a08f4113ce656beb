import type { Scenario } from '#migration/parity/run/scenario.ts'
import { billingSubscriptions } from './billing.subscriptions.ts'
import { billing } from './billing.ts'
import { everyRow } from './every-row.ts'
import { libraryChanges } from './libraries.changes.ts'
import { sharedLibraries } from './libraries.shared-with-me.ts'
import { libraryShareChanges } from './libraries.shares.changes.ts'
import { libraryShares } from './libraries.shares.ts'
import { libraryTracks } from './libraries.tracks.ts'
import { libraries } from './libraries.ts'
import { packCodes } from './pack-links.codes.ts'
import { packContent } from './pack-links.content.ts'
import { packLinks } from './pack-links.ts'
import { packInvitations } from './packs.invitations.ts'
import { packOwnerLinks } from './packs.links.ts'
import { packTracks } from './packs.tracks.ts'
import { packs } from './packs.ts'
import { pages } from './pages.ts'
import { publicSplitSheets } from './public.split-sheets.ts'
import { publicTrackLinks } from './public.track-links.ts'
import { shareLinkChanges } from './share-links.changes.ts'
import { shareLinks } from './share-links.ts'
import { storedAccess } from './stored-rows.access.ts'
import { storedSubscriptions } from './stored-rows.billing.ts'
import { storedChanges } from './stored-rows.changes.ts'
import { storedTrackChanges } from './stored-rows.track-changes.ts'
import { storedRows } from './stored-rows.ts'
import { storedVersions } from './stored-rows.versions.ts'
import { storedStates } from './stored-states.ts'
import { trackLyrics } from './tracks.lyrics.ts'
import { trackMedia } from './tracks.media.ts'
import { trackMetadata } from './tracks.metadata.ts'
import { trackProcessing } from './tracks.processing.ts'
import { trackSplitSheet } from './tracks.split-sheet.ts'
import { trackStems } from './tracks.stems.ts'
import { tracks } from './tracks.ts'
import { trackUploadIntents } from './tracks.upload-intents.ts'
import { trackUploads } from './tracks.uploads.ts'
import { trackVersions } from './tracks.versions.ts'
import { visits } from './visits.ts'

export const scenarios: readonly Scenario[] = [
  ...everyRow,
  ...libraries,
  ...libraryChanges,
  ...sharedLibraries,
  ...libraryTracks,
  ...libraryShares,
  ...libraryShareChanges,
  ...storedRows,
  ...storedChanges,
  ...storedTrackChanges,
  ...storedVersions,
  ...storedAccess,
  ...storedStates,
  ...storedSubscriptions,
  ...shareLinks,
  ...shareLinkChanges,
  ...publicTrackLinks,
  ...publicSplitSheets,
  ...packLinks,
  ...packCodes,
  ...packContent,
  ...packs,
  ...packTracks,
  ...packOwnerLinks,
  ...packInvitations,
  ...pages,
  ...billing,
  ...billingSubscriptions,
  ...tracks,
  ...trackLyrics,
  ...trackMedia,
  ...trackMetadata,
  ...trackProcessing,
  ...trackSplitSheet,
  ...trackStems,
  ...trackUploadIntents,
  ...trackUploads,
  ...trackVersions,
  ...visits,
]
