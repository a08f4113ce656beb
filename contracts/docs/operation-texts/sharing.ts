import { exampleIds } from '../example-ids.ts'
import type { OperationText, TextsOf } from './operation-text.ts'

const packPresentation: OperationText = {
  summary: 'Open a pack link',
  description: "Returns the pack. Counts a view, unless the request is signed in as the pack's owner.",
  success: 'The pack and its tracks.',
}

const packShareEvent: OperationText = {
  summary: "Report an event on a pack's page",
  description: 'Counts what a visitor did. An empty body is a `shared` event.',
  success: 'The event was accepted, whether or not it is counted.',
  body: { eventType: 'played', trackId: exampleIds.track, positionMs: 0, sessionId: 'session-19' },
}

const packPlayback: OperationText = {
  summary: 'Play a track from a pack link',
  description: 'Returns a signed URL for the audio, and counts a play. The URL supports range requests.',
  success: 'The URL, which is valid until `expiresAt`.',
}

const packDownload: OperationText = {
  summary: 'Download a track from a pack link',
  description: 'Returns a signed URL to download the file, and counts a download.',
  success: 'The URL, which is valid until `expiresAt`.',
}

export const packLinkTexts: TextsOf<'pack-links'> = {
  'pack-links.detail': packPresentation,
  'pack-links.presentation': { ...packPresentation, summary: "Get what a pack link's page shows" },
  'pack-links.share-events.record': packShareEvent,
  'pack-links.playback-url.issue': packPlayback,
  'pack-links.download-url.issue': packDownload,
}

export const publicTexts: TextsOf<'public'> = {
  'public.pack-links.detail': { ...packPresentation, summary: 'Open a pack link without an account' },
  'public.pack-links.share-events.record': {
    ...packShareEvent,
    summary: "Report an event on a pack's page without an account",
  },
  'public.pack-links.playback-url.issue': {
    ...packPlayback,
    summary: 'Play a track from a pack link without an account',
  },
  'public.pack-links.download-url.issue': {
    ...packDownload,
    summary: 'Download a track from a pack link without an account',
  },
  'public.track-links.detail': {
    summary: 'Open a share link to a track',
    description:
      'Returns the track as its recipient sees it, and counts a view. A revoked, expired or unknown link returns 404.',
    success: 'The track and its link.',
  },
  'public.track-links.playback-url.issue': {
    summary: 'Play a shared track',
    description: 'Returns a signed URL for the audio, and counts a play. The URL supports range requests.',
    success: 'The URL, which is valid until `expiresAt`.',
  },
  'public.track-links.share-events.record': {
    summary: "Report an event on a track's page",
    description: 'Counts what a visitor did with the track. An empty body is a `shared` event.',
    success: 'The event was accepted, whether or not it is counted.',
    body: { eventType: 'progress', positionMs: 30000, durationMs: 201000, sessionId: 'session-19' },
  },
  'public.split-sheets.detail': {
    summary: 'Open a review link to a split sheet',
    description:
      'Returns the split sheet as a reviewer sees it. A revoked, expired or unknown link returns 404.',
    success: 'The split sheet and its link.',
  },
}
