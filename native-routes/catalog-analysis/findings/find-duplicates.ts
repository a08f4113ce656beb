import type { Finding } from '#contracts/shared/catalog-findings.ts'
import type { TrackFacts } from '#db/queries/catalog-analysis/catalog-tracks.ts'
import { subjectOfTrack } from './find-track-findings.ts'
import { compareText } from './order-findings.ts'
import { thresholds } from './thresholds.ts'

export interface DuplicateGroup {
  readonly reason: 'same_isrc' | 'same_title_artist_and_length'
  readonly tracks: readonly TrackFacts[]
}

const normalise = (text: string) => {
  const lower = text.normalize('NFKC').toLowerCase()
  // A title of symbols only, such as "???", has no letters to compare.
  return lower.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim() || lower.trim()
}

// Punctuation is ignored but words are not: "Tide (Remix)" and "Tide" are different recordings.
const nameOf = ({ title, artist }: TrackFacts) => JSON.stringify([normalise(title), normalise(artist)])

const compareAge = (left: TrackFacts, right: TrackFacts) =>
  compareText(left.createdAt, right.createdAt) || compareText(left.id, right.id)

const differ = (left: string | null, right: string | null) =>
  left !== null && right !== null && left !== right

// Different codes mean different recordings or compositions, such as a clean and an explicit version.
const mayBeSame = (left: TrackFacts, right: TrackFacts) =>
  left.durationMs !== null &&
  right.durationMs !== null &&
  Math.abs(left.durationMs - right.durationMs) <= thresholds.sameDurationMs &&
  !differ(left.isrc, right.isrc) &&
  !differ(left.iswc, right.iswc)

/**
 * Puts each track in the first group whose oldest track may be the same recording. Compares each track with a limited
 * number of groups, because any number of tracks may share a name.
 */
const groupSameRecordings = (named: readonly TrackFacts[]) => {
  const groups: [TrackFacts, ...TrackFacts[]][] = []
  for (const track of named) {
    const group = groups.find(([oldest]) => mayBeSame(oldest, track))
    if (group) group.push(track)
    else if (groups.length < thresholds.recordingsOfName) groups.push([track])
  }
  return groups
}

const groupBy = (tracks: readonly TrackFacts[], keyOf: (track: TrackFacts) => string) =>
  [...Map.groupBy(tracks, keyOf).values()].filter((group) => group.length > 1)

export const findDuplicateGroups = (tracks: readonly TrackFacts[]): readonly DuplicateGroup[] => {
  const byAge = tracks.toSorted(compareAge)
  const coded = byAge.filter(({ isrc }) => isrc !== null)
  const sameIsrc = groupBy(coded, ({ isrc }) => isrc ?? '')
  const repeated = new Set(sameIsrc.flatMap((group) => group.slice(1)))
  const sameName = groupBy(
    byAge.filter((track) => !repeated.has(track)),
    nameOf,
  )
    .flatMap(groupSameRecordings)
    .filter((group) => group.length > 1)
  return [
    ...sameIsrc.map((group) => ({ reason: 'same_isrc' as const, tracks: group })),
    ...sameName.map((group) => ({ reason: 'same_title_artist_and_length' as const, tracks: group })),
  ]
}

const describe = ({ reason, tracks: [oldest] }: DuplicateGroup, { isrc }: TrackFacts) => {
  const other = `the track that was created on ${oldest?.createdAt.slice(0, 10)}`
  return reason === 'same_isrc'
    ? {
        message: `The track has the same ISRC (${isrc}) as ${other}.`,
        action: 'Remove one of the tracks, or correct its ISRC: an ISRC identifies one recording.',
      }
    : {
        message: `The track has the same title, artist and length as ${other}.`,
        action: 'Compare the two tracks, and remove one if they are the same recording.',
      }
}

export const describeDuplicates = (groups: readonly DuplicateGroup[]): Finding[] =>
  groups.flatMap((group) =>
    group.tracks.slice(1).map((track) => ({
      kind: 'possible_duplicate' as const,
      severity: 'warning' as const,
      subject: subjectOfTrack(track),
      ...describe(group, track),
    })),
  )
