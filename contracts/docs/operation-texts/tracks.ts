import type { TextsOf } from './operation-text.ts'
import { trackMediaTexts } from './track-media.ts'
import { trackSharingTexts } from './track-sharing.ts'

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
  ...trackMediaTexts,
  ...trackSharingTexts,
}
