import * as z from 'zod'
import { Id, Timestamp } from '#contracts/shared/primitives.ts'
import { describeDuplicates, findDuplicateGroups } from '../findings/find-duplicates.ts'
import { readTrackFacts, subjectOfTrack } from '../findings/find-track-findings.ts'
import { citationsOf, selectFindings } from '../findings/order-findings.ts'
import { defineTool, Limit, maxListed } from './define-tool.ts'

const maxTracks = 10

const Track = z.object({
  id: Id,
  title: z.string(),
  artist: z.string(),
  durationMs: z.int().nullable(),
  createdAt: Timestamp,
})

export const duplicates = defineTool({
  name: 'duplicates',
  description:
    'Lists groups of tracks that may be the same recording: with the same ISRC, or with the same title, artist and length.',
  input: z.strictObject({ limit: Limit }),
  output: z.object({
    total: z.int(),
    groups: z
      .array(
        z.object({
          reason: z.enum(['same_isrc', 'same_title_artist_and_length']),
          size: z.int(),
          tracks: z.array(Track).max(maxTracks),
        }),
      )
      .max(maxListed),
  }),
  async run(scope, { limit }) {
    const groups = findDuplicateGroups(await readTrackFacts(scope))
    const listed = groups.slice(0, limit).map(({ reason, tracks }) => ({
      reason,
      size: tracks.length,
      tracks: tracks.slice(0, maxTracks),
    }))
    const findings = selectFindings(describeDuplicates(groups))
    const subjects = listed.flatMap(({ tracks }) =>
      tracks.map((track) => ({ subject: subjectOfTrack(track) })),
    )
    return {
      output: { total: groups.length, groups: listed },
      findings,
      citations: citationsOf([...subjects, ...findings]),
    }
  },
})
