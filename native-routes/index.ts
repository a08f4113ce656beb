import type { contracts } from '#contracts/registry.ts'
import type { Label, RowOf } from '#contracts/route-table.ts'
import { listEngagementEvents } from './analytics/events.list.ts'
import { showAnalyticsOverview } from './analytics/overview.ts'
import { showPackAnalytics } from './analytics/packs.detail.ts'
import { showTrackAnalytics } from './analytics/tracks.detail.ts'
import { cancelSubscription } from './billing/cancel.ts'
import { switchPlan } from './billing/change-plan.ts'
import { startCheckout } from './billing/checkout.ts'
import { openBillingPortal } from './billing/portal.ts'
import { resumeSubscription } from './billing/resume.ts'
import { showBillingStatus } from './billing/status.ts'
import { askCatalog } from './catalog-analysis/ask.ts'
import { showAnalysisThread } from './catalog-analysis/threads.detail.ts'
import { listAnalysisThreads } from './catalog-analysis/threads.list.ts'
import { removeAnalysisThread } from './catalog-analysis/threads.remove.ts'
import type { NativeRoute } from './define-route.ts'
import type { NativeStream } from './define-stream.ts'
import type { NativeWebhook } from './define-webhook.ts'
import { listQueuedMediaDispatches } from './internal/media-dispatches.list.ts'
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
import { showPackLink } from './pack-links/detail.ts'
import { issuePackDownloadUrl } from './pack-links/download-url.issue.ts'
import { issuePackPlaybackUrl } from './pack-links/playback-url.issue.ts'
import { showPackPresentation } from './pack-links/presentation.ts'
import { recordPackShareEvent } from './pack-links/share-events.record.ts'
import { createPack } from './packs/create.ts'
import { showPack } from './packs/detail.ts'
import { inviteToPack } from './packs/invitations.create.ts'
import { listPackInvitations } from './packs/invitations.list.ts'
import { createPackLink } from './packs/links.create.ts'
import { listPackLinks } from './packs/links.list.ts'
import { revokePackLink } from './packs/links.revoke.ts'
import { listPacks } from './packs/list.ts'
import { removePack } from './packs/remove.ts'
import { addTrackToPack } from './packs/tracks.add.ts'
import { removeTrackFromPack } from './packs/tracks.remove.ts'
import { reorderTracksOfPack } from './packs/tracks.reorder.ts'
import { changePack } from './packs/update.ts'
import { showPublicPackLink } from './public/pack-links.detail.ts'
import { issuePublicPackDownloadUrl } from './public/pack-links.download-url.issue.ts'
import { issuePublicPackPlaybackUrl } from './public/pack-links.playback-url.issue.ts'
import { recordPublicPackShareEvent } from './public/pack-links.share-events.record.ts'
import { showSharedSplitSheet } from './public/split-sheets.detail.ts'
import { showSharedTrack } from './public/track-links.detail.ts'
import { issuePublicTrackPlaybackUrl } from './public/track-links.playback-url.issue.ts'
import { recordTrackShareEvent } from './public/track-links.share-events.record.ts'
import { uploadArtwork } from './tracks/artwork.upload.ts'
import { createTrack } from './tracks/create.ts'
import { showTrack } from './tracks/detail.ts'
import { uploadDocument } from './tracks/documents.upload.ts'
import { issueDownloadUrl } from './tracks/download-url.issue.ts'
import { listTracks } from './tracks/list.ts'
import { showLyrics } from './tracks/lyrics.detail.ts'
import { replaceLyrics } from './tracks/lyrics.replace.ts'
import { listMediaAssets } from './tracks/media-assets.list.ts'
import { changeMetadata } from './tracks/metadata.update.ts'
import { showPeaks } from './tracks/peaks.detail.ts'
import { issuePlaybackUrl } from './tracks/playback-url.issue.ts'
import { retryAnalysis } from './tracks/processing.retry.ts'
import { showProcessingStatus } from './tracks/processing.status.ts'
import { removeTrack } from './tracks/remove.ts'
import { showRights } from './tracks/rights.detail.ts'
import { createTrackShareLink } from './tracks/share-links.create.ts'
import { listTrackShareLinks } from './tracks/share-links.list.ts'
import { resetTrackShareLink } from './tracks/share-links.reset.ts'
import { revokeTrackShareLink } from './tracks/share-links.revoke.ts'
import { showSplitSheet } from './tracks/split-sheet.detail.ts'
import { replaceSplitSheet } from './tracks/split-sheet.replace.ts'
import { listSplitSheetShareLinks } from './tracks/split-sheet.share-links.list.ts'
import { listStems } from './tracks/stems.list.ts'
import { showTags } from './tracks/tags.detail.ts'
import { finalizeUpload } from './tracks/uploads.finalize.ts'
import { listVersions } from './tracks/versions.list.ts'
import { promoteVersion } from './tracks/versions.promote.ts'
import { removeVersion } from './tracks/versions.remove.ts'
import { uploadVersion } from './tracks/versions.upload.ts'
import { receiveBillingEvent } from './webhooks/billing.ts'
import { receiveEmailEvent } from './webhooks/email.ts'
import { receiveLinkEvent } from './webhooks/links.ts'

type HandlerOf<L extends Label> = RowOf<L>[2] extends 'signature'
  ? NativeWebhook<L>
  : (typeof contracts)[L] extends { readonly stream: object }
    ? NativeStream<L>
    : NativeRoute<L>
type NativeLabel = { [L in Label]: RowOf<L>[3] extends 'proxy' ? never : L }[Label]

/**
 * Handlers by label. A `native` or `native-only` row must have one. A `proxy` row may have one, which serves nothing
 * until the route is moved.
 */
export type Handlers = { readonly [L in NativeLabel]: HandlerOf<L> } & {
  readonly [L in Exclude<Label, NativeLabel>]?: HandlerOf<L>
}

export const handlers: Handlers = {
  'billing.status': showBillingStatus,
  'billing.checkout': startCheckout,
  'billing.portal': openBillingPortal,
  'billing.change-plan': switchPlan,
  'billing.cancel': cancelSubscription,
  'billing.resume': resumeSubscription,
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
  'tracks.share-links.list': listTrackShareLinks,
  'tracks.share-links.create': createTrackShareLink,
  'tracks.share-links.reset': resetTrackShareLink,
  'tracks.share-links.revoke': revokeTrackShareLink,
  'tracks.split-sheet.share-links.list': listSplitSheetShareLinks,
  'pack-links.detail': showPackLink,
  'pack-links.presentation': showPackPresentation,
  'pack-links.share-events.record': recordPackShareEvent,
  'pack-links.playback-url.issue': issuePackPlaybackUrl,
  'pack-links.download-url.issue': issuePackDownloadUrl,
  'public.pack-links.detail': showPublicPackLink,
  'public.pack-links.share-events.record': recordPublicPackShareEvent,
  'public.pack-links.playback-url.issue': issuePublicPackPlaybackUrl,
  'public.pack-links.download-url.issue': issuePublicPackDownloadUrl,
  'public.track-links.detail': showSharedTrack,
  'public.track-links.playback-url.issue': issuePublicTrackPlaybackUrl,
  'public.track-links.share-events.record': recordTrackShareEvent,
  'public.split-sheets.detail': showSharedSplitSheet,
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
  'webhooks.billing': receiveBillingEvent,
  'webhooks.links': receiveLinkEvent,
  'webhooks.email': receiveEmailEvent,
  'analytics.overview': showAnalyticsOverview,
  'analytics.packs.detail': showPackAnalytics,
  'analytics.tracks.detail': showTrackAnalytics,
  'analytics.events.list': listEngagementEvents,
  'media-intelligence.callback': receiveAnalysis,
  'internal.media-dispatches.list': listQueuedMediaDispatches,
  'catalog-analysis.ask': askCatalog,
  'catalog-analysis.threads.list': listAnalysisThreads,
  'catalog-analysis.threads.detail': showAnalysisThread,
  'catalog-analysis.threads.remove': removeAnalysisThread,
  'tracks.list': listTracks,
  'tracks.create': createTrack,
  'tracks.detail': showTrack,
  'tracks.remove': removeTrack,
  'packs.list': listPacks,
  'packs.create': createPack,
  'packs.detail': showPack,
  'packs.update': changePack,
  'packs.remove': removePack,
  'packs.tracks.add': addTrackToPack,
  'packs.tracks.remove': removeTrackFromPack,
  'packs.tracks.reorder': reorderTracksOfPack,
  'packs.links.list': listPackLinks,
  'packs.links.create': createPackLink,
  'packs.links.revoke': revokePackLink,
  'packs.invitations.list': listPackInvitations,
  'packs.invitations.create': inviteToPack,
}
