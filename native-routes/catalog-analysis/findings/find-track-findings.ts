import type { Finding } from '#contracts/shared/catalog-findings.ts'
import {
  findTrackFactsOwnedBy,
  listTrackFactsOfOwner,
  type TrackFacts,
} from '#db/queries/catalog-analysis/catalog-tracks.ts'
import { getFinalizationCutoff } from '#db/queries/media/uploads.ts'
import type { PageRange } from '#db/queries/page-range.ts'
import type { ToolScope } from '../tools/define-tool.ts'
import { maxAnalysed, thresholds } from './thresholds.ts'

export async function* readBatches<R extends { readonly id: string; readonly createdAt: string }>(
  batchSize: number,
  findRange: (range: PageRange) => Promise<readonly R[]>,
): AsyncGenerator<readonly R[]> {
  let after: PageRange['after'] = null
  for (let read = 0; read < maxAnalysed; read += batchSize) {
    const batch: readonly R[] = await findRange({ after, limit: batchSize })
    yield batch
    const last = batch.at(-1)
    if (!last || batch.length < batchSize) return
    after = { at: last.createdAt, id: last.id }
  }
}

// Longer lists take several statements, so the driver never parses one long result.
const batchSize = 2000

export const readTrackFacts = async ({ db, accountId, now }: ToolScope): Promise<readonly TrackFacts[]> => {
  const tracks: TrackFacts[] = []
  const batches = readBatches(batchSize, (range) =>
    listTrackFactsOfOwner(db, accountId, getFinalizationCutoff(now), range),
  )
  for await (const batch of batches) tracks.push(...batch)
  return tracks
}

export const readFactsOfTrack = ({ db, accountId, now }: ToolScope, trackId: string) =>
  findTrackFactsOwnedBy(db, trackId, accountId, getFinalizationCutoff(now))

type Rule = (track: TrackFacts, now: Date) => Pick<Finding, 'severity' | 'message' | 'action'> | null

// "Night Drive (Instrumental)", "Night Drive - Instrumental": how distributors title a version without vocals
const instrumentalTitle =
  /(?:[([]\s*instrumental(?:\s[^)\]]*)?[)\]]|\s[-–—]\s*instrumental(?:\s(?:version|mix|edit))?)\s*$/i

/** The severity of something a release needs. Nothing is late until a release is planned. */
const severityForRelease = ({ releaseDate }: TrackFacts) => (releaseDate === null ? 'warning' : 'blocker')

const severityBesideRelease = ({ releaseDate }: TrackFacts) => (releaseDate === null ? 'info' : 'warning')

const retriedLanes = new Set(['tags', 'stems', 'lyrics', 'embeddings'])

const describeFailedAudio: Rule = ({ failedLanes, audioStatus }) => {
  if (audioStatus === 'failed' || failedLanes.includes('playback'))
    return {
      severity: 'blocker',
      message: 'The audio could not be processed, so the track cannot be played.',
      action: 'Upload the audio again, for example as WAV or FLAC.',
    }
  if (failedLanes.length === 0) return null
  const canRetry = failedLanes.every((lane) => retriedLanes.has(lane))
  return {
    severity: 'warning',
    message: `The track can be played, but its processing failed for: ${failedLanes.join(', ')}.`,
    action: canRetry ? 'Retry the processing of the track.' : 'Upload the audio again as a new version.',
  }
}

const describeIncompleteSheet: Rule = (track) => {
  const { emptySheetFields } = track
  if (emptySheetFields?.length === 0) return null
  const severity = severityBesideRelease(track)
  if (emptySheetFields === null)
    return {
      severity,
      message: 'The track has no split sheet.',
      action: 'Agree on the shares of master and writers, and enter them in a split sheet.',
    }
  const named = emptySheetFields.map((field) => `the ${field}`).join(' and ')
  return {
    severity,
    message: `The split sheet lacks ${named}.`,
    action: `Add ${named} to the split sheet.`,
  }
}

const needsLyrics = ({ lyricsState, title }: TrackFacts) =>
  lyricsState === null && !instrumentalTitle.test(title)

const isUnshared = ({ audioStatus, wasShared, createdAt }: TrackFacts, now: Date) =>
  audioStatus === 'ready' &&
  !wasShared &&
  now.valueOf() - Date.parse(createdAt) >= thresholds.trackIsUnsharedAfterMs

const rules = {
  missing_isrc: (track) =>
    track.isrc === null
      ? {
          severity: severityForRelease(track),
          message: 'The track has no ISRC.',
          action: 'Request an ISRC from your distributor or the ISRC agency of your country, and add it.',
        }
      : null,
  missing_iswc: (track) =>
    track.iswc === null
      ? {
          severity: severityBesideRelease(track),
          message: 'The track has no ISWC.',
          action: 'Register the composition with your collecting society, and add the ISWC that it assigns.',
        }
      : null,
  missing_release_date: (track) =>
    track.releaseDate === null
      ? {
          // An ISRC suggests that a release is planned.
          severity: track.isrc === null ? 'info' : 'warning',
          message: 'The track has no release date.',
          action: 'Add the release date once it is planned.',
        }
      : null,
  missing_artwork: (track) =>
    track.artworkState !== null
      ? null
      : {
          severity: severityForRelease(track),
          message: 'The track has no artwork.',
          action: 'Upload artwork.',
        },
  missing_lyrics: (track) =>
    needsLyrics(track)
      ? {
          severity: severityBesideRelease(track),
          message: 'The track has no lyrics.',
          action: 'Add the lyrics, or tag the track as instrumental.',
        }
      : null,
  no_audio: (track) =>
    track.audioStatus !== null
      ? null
      : {
          severity: severityForRelease(track),
          message: 'The track has no audio.',
          action: 'Upload the audio.',
        },
  processing_failed: describeFailedAudio,
  split_sheet_incomplete: describeIncompleteSheet,
  never_shared: (track, now) =>
    isUnshared(track, now)
      ? {
          severity: 'info',
          message: 'The track has never been shared.',
          action: 'Create a share link, or add the track to a pack or a library that you share.',
        }
      : null,
} satisfies Partial<Record<Finding['kind'], Rule>>

export type TrackFindingKind = keyof typeof rules

const kinds = Object.keys(rules) as readonly TrackFindingKind[]

export const subjectOfTrack = ({ id, title }: { readonly id: string; readonly title: string }) => ({
  type: 'track' as const,
  id,
  title,
})

export const findTrackFindings = (
  tracks: readonly TrackFacts[],
  now: Date,
  wanted: readonly TrackFindingKind[] = kinds,
): Finding[] =>
  tracks.flatMap((track) =>
    wanted.flatMap((kind) => {
      const found = rules[kind](track, now)
      return found ? [{ kind, subject: subjectOfTrack(track), ...found }] : []
    }),
  )
