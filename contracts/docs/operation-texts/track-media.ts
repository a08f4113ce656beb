import {
  audioContentTypes,
  contentTypeAliases,
  documentContentTypes,
  imageContentTypes,
} from '../../shared/uploads.ts'
import type { OperationText } from './operation-text.ts'

const startUpload =
  'Send the file to `signedUrl` with PUT and exactly the `requiredHeaders`, then call `finalizeUrl` with POST.'

const listTypes = (types: readonly string[]) => types.map((type) => `\`${type}\``).join(', ')

const describeTypes = (types: readonly string[], aliases: readonly string[]) =>
  `\`contentType\` is one of ${listTypes(types)}. Other names for the same types, which the legacy core does not accept: ${listTypes(aliases)}.`

export const trackMediaTexts = {
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
    summary: 'Start the upload of a version',
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
    summary: 'Start the upload of artwork',
    description: `${startUpload} ${describeTypes(imageContentTypes, contentTypeAliases.image)}`,
    success: 'The upload was created. Send the file before `expiresAt`.',
    body: { fileName: 'cover.jpg', contentType: 'image/jpeg', byteSize: 482133 },
  },
  'tracks.documents.upload': {
    summary: 'Start the upload of a document',
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
} as const satisfies Readonly<Record<string, OperationText>>
