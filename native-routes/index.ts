import type { Label, RowOf } from '#contracts/route-table.ts'
import type { NativeRoute } from './define-route.ts'
import type { NativeWebhook } from './define-webhook.ts'
import { listMediaDispatchesToDrain } from './internal/media-dispatches.list.ts'
import { createLibrary } from './libraries/create.ts'
import { showLibrary } from './libraries/detail.ts'
import { listLibraries } from './libraries/list.ts'
import { presentLibrary } from './libraries/presentation.ts'
import { removeLibrary } from './libraries/remove.ts'
import { listLibrariesSharedWithMe } from './libraries/shared-with-me.ts'
import { inviteToLibrary } from './libraries/shares.create.ts'
import { listLibraryShares } from './libraries/shares.list.ts'
import { revokeShareOfLibrary } from './libraries/shares.revoke.ts'
import { changeLibraryShare } from './libraries/shares.update.ts'
import { addTrackToLibrary } from './libraries/tracks.add.ts'
import { removeTrackFromLibrary } from './libraries/tracks.remove.ts'
import { changeLibrary } from './libraries/update.ts'
import { receiveAnalysis } from './media-intelligence/callback.ts'
import { uploadArtwork } from './tracks/artwork.upload.ts'
import { uploadDocument } from './tracks/documents.upload.ts'
import { issueDownloadUrl } from './tracks/download-url.issue.ts'
import { showLyrics } from './tracks/lyrics.detail.ts'
import { replaceLyrics } from './tracks/lyrics.replace.ts'
import { listMediaAssets } from './tracks/media-assets.list.ts'
import { changeMetadata } from './tracks/metadata.update.ts'
import { showPeaks } from './tracks/peaks.detail.ts'
import { issuePlaybackUrl } from './tracks/playback-url.issue.ts'
import { retryAnalysis } from './tracks/processing.retry.ts'
import { showProcessingStatus } from './tracks/processing.status.ts'
import { showRights } from './tracks/rights.detail.ts'
import { showSplitSheet } from './tracks/split-sheet.detail.ts'
import { replaceSplitSheet } from './tracks/split-sheet.replace.ts'
import { listStems } from './tracks/stems.list.ts'
import { showTags } from './tracks/tags.detail.ts'
import { finalizeUpload } from './tracks/uploads.finalize.ts'
import { listVersions } from './tracks/versions.list.ts'
import { promoteVersion } from './tracks/versions.promote.ts'
import { removeVersion } from './tracks/versions.remove.ts'
import { uploadVersion } from './tracks/versions.upload.ts'

type HandlerOf<L extends Label> = RowOf<L>[2] extends 'signature' ? NativeWebhook<L> : NativeRoute<L>
type NativeLabel = { [L in Label]: RowOf<L>[3] extends 'native' ? L : never }[Label]

/**
 * The handlers by label. A `native` row must have one; any other row may have one, which then stays dark until
 * the row's word is flipped.
 */
export type Handlers = { readonly [L in NativeLabel]: HandlerOf<L> } & {
  readonly [L in Exclude<Label, NativeLabel>]?: HandlerOf<L>
}

export const handlers: Handlers = {
  'tracks.tags.detail': showTags,
  'tracks.peaks.detail': showPeaks,
  'tracks.rights.detail': showRights,
  'tracks.lyrics.detail': showLyrics,
  'tracks.lyrics.replace': replaceLyrics,
  'tracks.stems.list': listStems,
  'tracks.versions.list': listVersions,
  'tracks.media-assets.list': listMediaAssets,
  'tracks.split-sheet.detail': showSplitSheet,
  'tracks.split-sheet.replace': replaceSplitSheet,
  'tracks.metadata.update': changeMetadata,
  'tracks.playback-url.issue': issuePlaybackUrl,
  'tracks.download-url.issue': issueDownloadUrl,
  'tracks.processing.status': showProcessingStatus,
  'tracks.processing.retry': retryAnalysis,
  'tracks.versions.upload': uploadVersion,
  'tracks.versions.promote': promoteVersion,
  'tracks.versions.remove': removeVersion,
  'tracks.artwork.upload': uploadArtwork,
  'tracks.documents.upload': uploadDocument,
  'tracks.uploads.finalize': finalizeUpload,
  'libraries.list': listLibraries,
  'libraries.create': createLibrary,
  'libraries.shared-with-me': listLibrariesSharedWithMe,
  'libraries.detail': showLibrary,
  'libraries.update': changeLibrary,
  'libraries.remove': removeLibrary,
  'libraries.presentation': presentLibrary,
  'libraries.tracks.add': addTrackToLibrary,
  'libraries.tracks.remove': removeTrackFromLibrary,
  'libraries.shares.list': listLibraryShares,
  'libraries.shares.create': inviteToLibrary,
  'libraries.shares.update': changeLibraryShare,
  'libraries.shares.revoke': revokeShareOfLibrary,
  'media-intelligence.callback': receiveAnalysis,
  'internal.media-dispatches.list': listMediaDispatchesToDrain,
}
