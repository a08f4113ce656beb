import {
  audioContentTypes,
  contentTypeAliases,
  documentContentTypes,
  imageContentTypes,
} from '../../shared/uploads.ts'
import type { TextsOf } from './operation-text.ts'

const startUpload =
  'Send the file to `signedUrl` with PUT and exactly the `requiredHeaders`, then call `finalizeUrl` with POST.'

const listTypes = (types: readonly string[]) => types.map((type) => `\`${type}\``).join(', ')

const describeTypes = (types: readonly string[], aliases: readonly string[]) =>
  `\`contentType\` is one of ${listTypes(types)}. These other names for the same types are also accepted, but not by the legacy core: ${listTypes(aliases)}.`

export const trackTexts: TextsOf<'tracks'> = {
  'tracks.list': {
    summary: 'List your tracks',
    description: "Returns one page of the account's tracks, newest first.",
    success: 'One page of tracks.',
  },
  'tracks.create': {
    summary: 'Create a track',
    description: 'Creates a track without audio. Upload its first version next.',
    success: 'The track was created.',
    body: { title: 'Night Drive', artist: 'The Owls', isrc: 'GB-AYE-68-00023', releaseDate: '2026-11-13' },
  },
  'tracks.detail': {
    summary: 'Read a track',
    description: 'Returns a track.',
    success: 'The track.',
  },
  'tracks.remove': {
    summary: 'Delete a track',
    description: 'Deletes a track with its audio, and removes it from packs and libraries.',
    success: 'The track was deleted.',
  },
  'tracks.metadata.update': {
    summary: 'Change the metadata of a track',
    description: 'Changes the fields you send. `null` clears a code or the release date.',
    success: 'The track.',
    body: { title: 'Night Drive (Remastered)', iswc: 'T-034.524.680-1' },
  },
  'tracks.tags.detail': {
    summary: 'List the tags of a track',
    description: 'Returns the tags by category, the most certain first.',
    success: 'The tags; the list may be empty.',
  },
  'tracks.rights.detail': {
    summary: 'Read the rights of a track',
    description: 'A placeholder, always empty. The split sheet says who owns the track.',
    success: 'The empty placeholder.',
  },
  'tracks.lyrics.detail': {
    summary: 'Read the lyrics of a track',
    description: 'Returns the text and, if known, its lines with their times.',
    success: 'The lyrics; `status` is `none` if there are none.',
  },
  'tracks.lyrics.replace': {
    summary: 'Replace the lyrics of a track',
    description:
      'Replaces the text and the lines. Send at least one of the two, and order the lines by `startMs`. Empty text without lines clears the lyrics.',
    success: 'The lyrics; `status` is `none` if there are none.',
    body: { language: 'en', lines: [{ startMs: 12400, endMs: 15800, text: 'The harbour lights go out' }] },
  },
  'tracks.split-sheet.detail': {
    summary: 'Read the split sheet of a track',
    description:
      'Returns who owns which share of the recording and the composition. If no sheet is stored, returns an empty one, which counts as incomplete.',
    success: 'The split sheet.',
  },
  'tracks.split-sheet.replace': {
    summary: 'Replace the split sheet of a track',
    description:
      'Stores the sheet if its shares add up: master, writers and, if there are any, publishers must each total 100 percent.',
    success: 'The split sheet.',
    body: {
      address: '12 Quay Street, Bristol',
      intendedUse: 'Album release',
      master: [{ collaboratorId: 'ada', percentage: 100 }],
      writers: [
        { collaboratorId: 'ada', percentage: 60 },
        { collaboratorId: 'ben', percentage: 40 },
      ],
    },
  },
  'tracks.peaks.detail': {
    summary: 'Read the waveform of a track',
    description: "Returns the current version's peaks in audiowaveform's format.",
    success: 'The waveform.',
  },
  'tracks.stems.list': {
    summary: 'List the stems of a track',
    description:
      'Returns the separated or uploaded parts of the recording. Without `limit`, it returns all of them.',
    success: 'The stems; the list may be empty.',
  },
  'tracks.versions.list': {
    summary: 'List the versions of a track',
    description: 'Returns the versions by ascending number. Without `limit`, it returns all of them.',
    success: 'The versions; the list may be empty.',
  },
  'tracks.media-assets.list': {
    summary: 'List the artwork and the documents of a track',
    description: 'Returns files with signed URLs, newest first. Without `limit`, it returns all of them.',
    success: 'The artwork and the documents; either list may be empty.',
  },
  'tracks.playback-url.issue': {
    summary: 'Play a track',
    description: "Returns a signed URL for the current version's audio. The URL supports range requests.",
    success: 'The URL, which is valid until `expiresAt`.',
  },
  'tracks.download-url.issue': {
    summary: "Download a track's file",
    description: 'Returns a signed URL to download a file: by default, the original of the current version.',
    success: 'The URL, which is valid until `expiresAt`.',
  },
  'tracks.processing.status': {
    summary: "Read a track's processing status",
    description:
      'Returns the processing lanes, which succeed or fail independently. Stop polling once no lane is `pending` or `processing`. A `queued` stage with an `error` is waiting for the dependency that the error code names, and is retried for 24 hours. Nothing is wrong with the file.',
    success: 'The state of each lane.',
  },
  'tracks.processing.retry': {
    summary: 'Analyse a track again',
    description:
      'Repeats the analysis of the current version: tags, stems, lyrics and embeddings. If the version failed because a dependency was unavailable for over a day, it is processed again from the start.',
    success: { 200: 'An analysis is already running.', 202: 'The analysis was requested.' },
  },
  'tracks.versions.upload': {
    summary: 'Start a version upload',
    description: `${startUpload} The first version of a track becomes its current one. ${describeTypes(audioContentTypes, contentTypeAliases.audio)} The two video types are for files that contain only sound.`,
    success: 'The upload was created. Send the file before `expiresAt`.',
    body: { fileName: 'night-drive.wav', contentType: 'audio/wav', byteSize: 35456044 },
  },
  'tracks.versions.promote': {
    summary: 'Make a version the current one',
    description:
      'Playback, waveform and analysis then use this version. If the version failed because a dependency was unavailable for over a day, it is processed again.',
    success: 'The versions of the track.',
  },
  'tracks.versions.remove': {
    summary: 'Delete a version',
    description:
      'Deletes a version other than the original. If it was the current one, the original takes its place.',
    success: 'The versions of the track.',
  },
  'tracks.artwork.upload': {
    summary: 'Start an artwork upload',
    description: `${startUpload} ${describeTypes(imageContentTypes, contentTypeAliases.image)}`,
    success: 'The upload was created. Send the file before `expiresAt`.',
    body: { fileName: 'cover.jpg', contentType: 'image/jpeg', byteSize: 482133 },
  },
  'tracks.documents.upload': {
    summary: 'Start a document upload',
    description: `${startUpload} ${describeTypes(documentContentTypes, contentTypeAliases.document)}`,
    success: 'The upload was created. Send the file before `expiresAt`.',
    body: {
      fileName: 'contract.pdf',
      contentType: 'application/pdf',
      byteSize: 91842,
      title: 'Recording contract',
      documentType: 'contract',
    },
  },
  'tracks.uploads.finalize': {
    summary: 'Finish an upload',
    description:
      'Checks that the file arrived as declared and adds it to the track. Finalizing twice returns the same response.',
    success: 'The file belongs to the track.',
  },
  'tracks.share-links.list': {
    summary: 'List the share links to a track',
    description:
      'Returns the links, newest first, including revoked and expired ones. Tokens are not returned again.',
    success: 'The links.',
  },
  'tracks.share-links.create': {
    summary: 'Create a share link to a track',
    description:
      'Creates a link. Anyone who has it can play the track. Keep `token`: it is returned only once.',
    success: 'The link was created.',
    body: { name: 'For the radio' },
  },
  'tracks.share-links.reset': {
    summary: 'Replace the token of a share link',
    description: 'The previous token stops working at once. The name and expiry do not change.',
    success: 'The link with its new token.',
  },
  'tracks.share-links.revoke': {
    summary: 'Revoke a share link to a track',
    description: 'The link stops working at once. Revoking it again has no effect.',
    success: 'The link is revoked.',
  },
  'tracks.split-sheet.share-links.list': {
    summary: 'List the review links to a split sheet',
    description:
      'Native returns an empty list, because only the legacy core creates and revokes these links.',
    success: 'The links.',
  },
  'tracks.split-sheet.share-links.create': {
    summary: 'Create a review link to a split sheet',
    description:
      'Creates a link that shows the split sheet to anyone who has it. Keep `token`: it is returned only once.',
    success: 'The link was created.',
    body: { name: 'For the writers' },
  },
  'tracks.split-sheet.share-links.revoke': {
    summary: 'Revoke a review link to a split sheet',
    description: 'The link stops working at once.',
    success: 'The link is revoked.',
  },
}
