import * as z from 'zod'
import * as analyticsEvents from '../analytics.events.ts'
import * as analyticsPacks from '../analytics.packs.ts'
import * as analyticsTracks from '../analytics.tracks.ts'
import * as analytics from '../analytics.ts'
import * as billing from '../billing.ts'
import * as threads from '../catalog-analysis.threads.ts'
import * as catalogAnalysis from '../catalog-analysis.ts'
import { Issue, QuotaName, StructuralIssue } from '../errors.ts'
import * as mediaDispatches from '../internal.media-dispatches.ts'
import * as libraryShares from '../libraries.shares.ts'
import * as libraryTracks from '../libraries.tracks.ts'
import * as libraries from '../libraries.ts'
import * as mediaIntelligence from '../media-intelligence.ts'
import * as packInvitations from '../packs.invitations.ts'
import * as packLinks from '../packs.links.ts'
import * as packTracks from '../packs.tracks.ts'
import * as packs from '../packs.ts'
import * as publicSplitSheets from '../public.split-sheets.ts'
import * as publicTrackLinks from '../public.track-links.ts'
import { Counts, linkReport, Series } from '../shared/analytics.ts'
import { Citation, Finding } from '../shared/catalog-findings.ts'
import { DeliveryStatus } from '../shared/delivery-status.ts'
import { LyricsInput } from '../shared/lyrics.ts'
import { StemKind, TagCategory } from '../shared/media-analysis.ts'
import { DownloadUrl, PlaybackUrl } from '../shared/media-urls.ts'
import * as sharedPacks from '../shared/pack-links.ts'
import { ShareEvent, ShareEventResult } from '../shared/share-events.ts'
import { ActiveLink, LinkStatus, NewShareLink } from '../shared/share-links.ts'
import { SplitSheet } from '../shared/split-sheet.ts'
import { SplitSheetInput } from '../shared/split-sheet-input.ts'
import * as uploads from '../shared/uploads.ts'
import * as lyrics from '../tracks.lyrics.ts'
import * as mediaAssets from '../tracks.media-assets.ts'
import * as metadata from '../tracks.metadata.ts'
import * as peaks from '../tracks.peaks.ts'
import * as processing from '../tracks.processing.ts'
import * as rights from '../tracks.rights.ts'
import * as shareLinks from '../tracks.share-links.ts'
import * as reviewLinks from '../tracks.split-sheet.share-links.ts'
import * as stems from '../tracks.stems.ts'
import * as tags from '../tracks.tags.ts'
import * as tracks from '../tracks.ts'
import { FinalizedUpload } from '../tracks.uploads.ts'
import * as versions from '../tracks.versions.ts'
import * as webhooks from '../webhooks.ts'

const status = processing.ProcessingStatus.shape
const publisher = SplitSheet.shape.publishers.element
const subPublisher = publisher.shape.subPublishers.element
const publisherInput = SplitSheetInput.shape.publishers.unwrap().element
const subPublisherInput = publisherInput.shape.subPublishers.unwrap().element
const [SwitchedPlan, PlanCheckout] = billing.changePlan.responses[200].options
const results = mediaIntelligence.AnalysisResults.shape

/** Schemas with a name in the API description. Generated clients have types with these names. */
export const namedSchemas = {
  Issue,
  QuotaName,
  TagCategory,
  StemKind,

  Track: tracks.Track,
  TrackPage: tracks.list.responses[200],
  NewTrack: tracks.create.body,
  TrackUpdate: metadata.update.body,
  Tag: tags.Tag,
  TrackTags: tags.detail.responses[200],
  Peaks: peaks.Peaks,
  Rights: rights.detail.responses[200],
  RightsEntry: rights.detail.responses[200].shape.entries.element,
  Lyrics: lyrics.Lyrics,
  LyricsLine: lyrics.LyricsLine,
  LyricsInput,
  LyricsLineInput: LyricsInput.in.shape.lines.unwrap().element,
  Stem: stems.Stem,
  StemList: stems.list.responses[200],
  Version: versions.Version,
  Versions: versions.Versions,
  VersionList: versions.list.responses[200],
  MediaAsset: mediaAssets.MediaAsset,
  MediaAssetList: mediaAssets.list.responses[200],
  Lane: processing.Lane,
  ProcessingStatus: processing.ProcessingStatus,
  ProcessingStage: status.stages.element,
  ProcessingAsset: status.assets.element,
  ProcessingDispatch: status.remoteDispatches.element,
  ProcessingFailure: status.stages.element.shape.error.unwrap(),
  IngestionRun: status.ingestionRun.unwrap(),
  LaneReadiness: status.readiness.shape.playback,
  RunningDispatch: processing.retry.responses[200],
  RetriedDispatch: processing.retry.responses[202],
  AudioUpload: uploads.AudioUpload,
  ArtworkUpload: uploads.ArtworkUpload,
  DocumentUpload: uploads.DocumentUpload,
  DocumentType: uploads.DocumentType,
  UploadIntent: uploads.UploadIntent,
  FinalizedUpload,

  SplitSheet,
  SplitSheetEntry: SplitSheet.shape.master.element,
  SplitSheetPublisher: publisher,
  SplitSheetSubPublisher: subPublisher,
  CollectionSplit: subPublisher.shape.collectionSplits.element,
  PublisherRole: publisher.shape.role,
  SplitRight: subPublisher.shape.collectionSplits.element.shape.right,
  SplitSheetInput,
  SplitSheetEntryInput: SplitSheetInput.shape.master.element,
  SplitSheetPublisherInput: publisherInput,
  SplitSheetSubPublisherInput: subPublisherInput,
  CollectionSplitInput: subPublisherInput.shape.collectionSplits.unwrap().element,
  Territory: subPublisherInput.shape.territories.element,
  StructuralIssue,

  LinkStatus,
  NewShareLink,
  ActiveLink,
  TrackShareLink: shareLinks.TrackShareLink,
  TrackShareLinkList: shareLinks.list.responses[200],
  IssuedTrackShareLink: shareLinks.create.responses[201],
  SplitSheetShareLink: reviewLinks.list.responses[200].shape.records.element,
  SplitSheetShareLinkList: reviewLinks.list.responses[200],
  IssuedSplitSheetShareLink: reviewLinks.create.responses[201],
  SharedTrack: publicTrackLinks.SharedTrack,
  SharedSplitSheet: publicSplitSheets.SharedSplitSheet,
  PackPresentation: sharedPacks.PackPresentation,
  PresentedTrack: sharedPacks.PackPresentation.shape.tracks.element,
  ShareEvent,
  PackShareEvent: sharedPacks.shareEvent.body,
  ShareEventResult,
  PlaybackUrl,
  DownloadUrl,

  Pack: packs.detail.responses[200],
  PackList: packs.list.responses[200],
  NewPack: packs.create.body,
  PackUpdate: packs.update.body,
  PackTrack: packTracks.add.responses[200],
  PackTrackList: packTracks.reorder.responses[200],
  NewPackTrack: packTracks.add.body,
  PackTrackOrder: packTracks.reorder.body,
  PackLink: packLinks.create.responses[201],
  PackLinkList: packLinks.list.responses[200],
  NewPackLink: packLinks.create.body,
  DeliveryStatus,
  PackInvitation: packInvitations.create.responses[201],
  PackInvitationList: packInvitations.list.responses[200],
  NewPackInvitation: packInvitations.create.body,

  AccessGrade: libraries.AccessGrade,
  Library: libraries.Library,
  LibraryListRecord: libraries.LibraryListRecord,
  LibraryList: libraries.list.responses[200],
  SharedLibrary: libraries.sharedWithMe.responses[200].shape.records.element,
  SharedLibraryList: libraries.sharedWithMe.responses[200],
  NewLibrary: libraries.create.body,
  LibraryUpdate: libraries.update.body,
  LibraryTrack: libraryTracks.LibraryTrack,
  NewLibraryTrack: libraryTracks.add.body,
  LibraryShare: libraryShares.LibraryShare,
  LibraryShareList: libraryShares.list.responses[200],
  NewLibraryShare: libraryShares.create.body,
  LibraryShareUpdate: libraryShares.update.body,

  SubscriptionStatus: billing.SubscriptionStatus,
  BillingStatus: billing.BillingStatus,
  BillingSession: billing.checkout.responses[201],
  PlanChoice: billing.checkout.body,
  PortalRequest: billing.portal.body,
  SwitchedPlan,
  PlanCheckout,
  PlanChange: billing.changePlan.responses[200],
  PendingCancellation: billing.cancel.responses[200],

  Counts,
  CountsOfDay: Series.element,
  AnalyticsOverview: analytics.overview.responses[200],
  CountsWithVisitors: linkReport.totals,
  CountsOfLink: linkReport.byLink.element,
  CountsOfSource: linkReport.bySource.element,
  ClicksOfCountry: linkReport.byCountry.element,
  LinkAnalytics: z.object(linkReport),
  PackAnalytics: analyticsPacks.detail.responses[200],
  TrackAnalytics: analyticsTracks.detail.responses[200],
  EngagementEvent: analyticsEvents.EngagementEvent,
  EngagementEventPage: analyticsEvents.list.responses[200],

  Question: catalogAnalysis.ask.body,
  Analysis: catalogAnalysis.Analysis,
  Finding,
  CatalogItem: Citation,
  AnalysisThread: threads.list.responses[200].shape.records.element,
  AnalysisThreadPage: threads.list.responses[200],
  AnalysisMessage: threads.detail.responses[200].shape.messages.element,
  AnalysisThreadWithMessages: threads.detail.responses[200],

  BillingEvent: webhooks.billing.body,
  BillingEventResult: webhooks.billing.responses[200],
  LinkEvent: webhooks.links.body,
  LinkEventResult: webhooks.links.responses[200],
  EmailEvent: webhooks.email.body,
  EmailEventResult: webhooks.email.responses[200],
  AnalysisCallback: mediaIntelligence.callback.body,
  AnalysisCallbackResult: mediaIntelligence.callback.responses[200],
  AnalysisResults: mediaIntelligence.AnalysisResults,
  AnalysedTag: results.tags.unwrap().element,
  SeparatedStem: results.stems.unwrap().element,

  QueuedDispatch: mediaDispatches.list.responses[200].shape.records.element,
  QueuedDispatchPage: mediaDispatches.list.responses[200],
} as const satisfies Readonly<Record<string, z.ZodType>>

export type SchemaName = keyof typeof namedSchemas

const isSchemaName = (name: string): name is SchemaName => Object.hasOwn(namedSchemas, name)

export const schemaNames: readonly SchemaName[] = Object.keys(namedSchemas).filter(isSchemaName)

const names = new Map<z.core.$ZodType, SchemaName>([
  ...schemaNames.map((name) => [namedSchemas[name], name] as const),
  [threads.StoredFinding, 'Finding'],
])

export const findSchemaName = (schema: z.core.$ZodType): SchemaName | undefined => names.get(schema)

export const requireSchemaName = (schema: z.core.$ZodType): SchemaName => {
  const name = findSchemaName(schema)
  if (name === undefined) throw new Error('give the schema of each response body a name in schema-names.ts')
  return name
}
