import * as analyticsEvents from './analytics.events.ts'
import * as analyticsPacks from './analytics.packs.ts'
import * as analyticsTracks from './analytics.tracks.ts'
import * as analytics from './analytics.ts'
import * as billing from './billing.ts'
import * as catalogAnalysisThreads from './catalog-analysis.threads.ts'
import * as catalogAnalysis from './catalog-analysis.ts'
import * as internalMediaDispatches from './internal.media-dispatches.ts'
import * as librariesShares from './libraries.shares.ts'
import * as librariesTracks from './libraries.tracks.ts'
import * as libraries from './libraries.ts'
import * as mediaIntelligence from './media-intelligence.ts'
import * as packLinksDownloadUrl from './pack-links.download-url.ts'
import * as packLinksPlaybackUrl from './pack-links.playback-url.ts'
import * as packLinksShareEvents from './pack-links.share-events.ts'
import * as packLinks from './pack-links.ts'
import * as packsInvitations from './packs.invitations.ts'
import * as packsLinks from './packs.links.ts'
import * as packsTracks from './packs.tracks.ts'
import * as packs from './packs.ts'
import * as publicPackLinksDownloadUrl from './public.pack-links.download-url.ts'
import * as publicPackLinksPlaybackUrl from './public.pack-links.playback-url.ts'
import * as publicPackLinksShareEvents from './public.pack-links.share-events.ts'
import * as publicPackLinks from './public.pack-links.ts'
import * as publicSplitSheets from './public.split-sheets.ts'
import * as publicTrackLinksPlaybackUrl from './public.track-links.playback-url.ts'
import * as publicTrackLinksShareEvents from './public.track-links.share-events.ts'
import * as publicTrackLinks from './public.track-links.ts'
import type { Label } from './route-table.ts'
import type { Contract } from './shared/contract.ts'
import * as tracksArtwork from './tracks.artwork.ts'
import * as tracksDocuments from './tracks.documents.ts'
import * as tracksDownloadUrl from './tracks.download-url.ts'
import * as tracksLyrics from './tracks.lyrics.ts'
import * as tracksMediaAssets from './tracks.media-assets.ts'
import * as tracksMetadata from './tracks.metadata.ts'
import * as tracksPeaks from './tracks.peaks.ts'
import * as tracksPlaybackUrl from './tracks.playback-url.ts'
import * as tracksProcessing from './tracks.processing.ts'
import * as tracksRights from './tracks.rights.ts'
import * as tracksShareLinks from './tracks.share-links.ts'
import * as tracksSplitSheetShareLinks from './tracks.split-sheet.share-links.ts'
import * as tracksSplitSheet from './tracks.split-sheet.ts'
import * as tracksStems from './tracks.stems.ts'
import * as tracksTags from './tracks.tags.ts'
import * as tracks from './tracks.ts'
import * as tracksUploads from './tracks.uploads.ts'
import * as tracksVersions from './tracks.versions.ts'
import * as webhooks from './webhooks.ts'

/** A missing or mislabelled contract is a type error. */
export const contracts = {
  'billing.status': billing.status,
  'billing.checkout': billing.checkout,
  'billing.portal': billing.portal,
  'billing.change-plan': billing.changePlan,
  'billing.cancel': billing.cancel,
  'billing.resume': billing.resume,
  'tracks.tags.detail': tracksTags.detail,
  'tracks.peaks.detail': tracksPeaks.detail,
  'tracks.rights.detail': tracksRights.detail,
  'tracks.lyrics.detail': tracksLyrics.detail,
  'tracks.lyrics.replace': tracksLyrics.replace,
  'tracks.stems.list': tracksStems.list,
  'tracks.versions.list': tracksVersions.list,
  'tracks.media-assets.list': tracksMediaAssets.list,
  'tracks.split-sheet.detail': tracksSplitSheet.detail,
  'tracks.split-sheet.replace': tracksSplitSheet.replace,
  'tracks.metadata.update': tracksMetadata.update,
  'tracks.playback-url.issue': tracksPlaybackUrl.issue,
  'tracks.download-url.issue': tracksDownloadUrl.issue,
  'tracks.processing.status': tracksProcessing.status,
  'tracks.processing.retry': tracksProcessing.retry,
  'tracks.versions.upload': tracksVersions.upload,
  'tracks.versions.promote': tracksVersions.promote,
  'tracks.versions.remove': tracksVersions.remove,
  'tracks.artwork.upload': tracksArtwork.upload,
  'tracks.documents.upload': tracksDocuments.upload,
  'tracks.uploads.finalize': tracksUploads.finalize,
  'tracks.share-links.list': tracksShareLinks.list,
  'tracks.share-links.create': tracksShareLinks.create,
  'tracks.share-links.reset': tracksShareLinks.reset,
  'tracks.share-links.revoke': tracksShareLinks.revoke,
  'tracks.split-sheet.share-links.list': tracksSplitSheetShareLinks.list,
  'tracks.split-sheet.share-links.create': tracksSplitSheetShareLinks.create,
  'tracks.split-sheet.share-links.revoke': tracksSplitSheetShareLinks.revoke,
  'pack-links.detail': packLinks.detail,
  'pack-links.presentation': packLinks.presentation,
  'pack-links.share-events.record': packLinksShareEvents.record,
  'pack-links.playback-url.issue': packLinksPlaybackUrl.issue,
  'pack-links.download-url.issue': packLinksDownloadUrl.issue,
  'public.pack-links.detail': publicPackLinks.detail,
  'public.pack-links.share-events.record': publicPackLinksShareEvents.record,
  'public.pack-links.playback-url.issue': publicPackLinksPlaybackUrl.issue,
  'public.pack-links.download-url.issue': publicPackLinksDownloadUrl.issue,
  'public.track-links.detail': publicTrackLinks.detail,
  'public.track-links.playback-url.issue': publicTrackLinksPlaybackUrl.issue,
  'public.track-links.share-events.record': publicTrackLinksShareEvents.record,
  'public.split-sheets.detail': publicSplitSheets.detail,
  'libraries.list': libraries.list,
  'libraries.create': libraries.create,
  'libraries.shared-with-me': libraries.sharedWithMe,
  'libraries.detail': libraries.detail,
  'libraries.update': libraries.update,
  'libraries.remove': libraries.remove,
  'libraries.presentation': libraries.presentation,
  'libraries.tracks.add': librariesTracks.add,
  'libraries.tracks.remove': librariesTracks.remove,
  'libraries.shares.list': librariesShares.list,
  'libraries.shares.create': librariesShares.create,
  'libraries.shares.update': librariesShares.update,
  'libraries.shares.revoke': librariesShares.revoke,
  'webhooks.billing': webhooks.billing,
  'webhooks.links': webhooks.links,
  'webhooks.email': webhooks.email,
  'media-intelligence.callback': mediaIntelligence.callback,
  'analytics.overview': analytics.overview,
  'analytics.packs.detail': analyticsPacks.detail,
  'analytics.tracks.detail': analyticsTracks.detail,
  'analytics.events.list': analyticsEvents.list,
  'internal.media-dispatches.list': internalMediaDispatches.list,
  'catalog-analysis.ask': catalogAnalysis.ask,
  'catalog-analysis.threads.list': catalogAnalysisThreads.list,
  'catalog-analysis.threads.detail': catalogAnalysisThreads.detail,
  'catalog-analysis.threads.remove': catalogAnalysisThreads.remove,
  'tracks.list': tracks.list,
  'tracks.create': tracks.create,
  'tracks.detail': tracks.detail,
  'tracks.remove': tracks.remove,
  'packs.list': packs.list,
  'packs.create': packs.create,
  'packs.detail': packs.detail,
  'packs.update': packs.update,
  'packs.remove': packs.remove,
  'packs.tracks.add': packsTracks.add,
  'packs.tracks.remove': packsTracks.remove,
  'packs.tracks.reorder': packsTracks.reorder,
  'packs.links.list': packsLinks.list,
  'packs.links.create': packsLinks.create,
  'packs.links.revoke': packsLinks.revoke,
  'packs.invitations.list': packsInvitations.list,
  'packs.invitations.create': packsInvitations.create,
} as const satisfies { readonly [L in Label]: Contract<L> }
