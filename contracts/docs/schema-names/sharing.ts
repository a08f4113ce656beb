import * as splitSheets from '../../public.split-sheets.ts'
import * as trackLinks from '../../public.track-links.ts'
import { DownloadUrl, PlaybackUrl } from '../../shared/media-urls.ts'
import * as packLinks from '../../shared/pack-links.ts'
import { ShareEvent, ShareEventResult } from '../../shared/share-events.ts'
import { ActiveLink, LinkStatus, NewShareLink } from '../../shared/share-links.ts'
import * as shareLinks from '../../tracks.share-links.ts'
import * as reviewLinks from '../../tracks.split-sheet.share-links.ts'

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
