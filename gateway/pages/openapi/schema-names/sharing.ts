import * as splitSheets from '#contracts/public.split-sheets.ts'
import * as trackLinks from '#contracts/public.track-links.ts'
import { DownloadUrl, PlaybackUrl } from '#contracts/shared/media-urls.ts'
import * as packLinks from '#contracts/shared/pack-links.ts'
import { ShareEvent, ShareEventResult } from '#contracts/shared/share-events.ts'
import { ActiveLink, LinkStatus, NewShareLink } from '#contracts/shared/share-links.ts'
import * as shareLinks from '#contracts/tracks.share-links.ts'
import * as reviewLinks from '#contracts/tracks.split-sheet.share-links.ts'

export const sharingNames = {
  LinkStatus,
  NewShareLink,
  ActiveLink,
  TrackShareLink: shareLinks.TrackShareLink,
  TrackShareLinkList: shareLinks.list.responses[200],
  IssuedTrackShareLink: shareLinks.create.responses[201],
  SplitSheetShareLink: reviewLinks.list.responses[200].shape.records.element,
  SplitSheetShareLinkList: reviewLinks.list.responses[200],
  IssuedSplitSheetShareLink: reviewLinks.create.responses[201],
  SharedTrack: trackLinks.SharedTrack,
  SharedSplitSheet: splitSheets.SharedSplitSheet,
  PackPresentation: packLinks.PackPresentation,
  PresentedTrack: packLinks.PackPresentation.shape.tracks.element,
  ShareEvent,
  PackShareEvent: packLinks.shareEvent.body,
  ShareEventResult,
  PlaybackUrl,
  DownloadUrl,
}
