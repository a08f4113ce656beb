import * as z from 'zod'
import { DateOnly, Id, Str } from '#contracts/shared/primitives.ts'
import { searchTracksOwnedBy } from '#db/queries/catalog-analysis/catalog-tracks.ts'
import { subjectOfTrack } from '../findings/find-track-findings.ts'
import { citationsOf } from '../findings/order-findings.ts'
import { defineTool, Limit, maxListed } from './define-tool.ts'

export const searchTracks = defineTool({
  name: 'search_tracks',
  description: 'Finds tracks by ISRC, or by text in their title or artist, newest first.',
  input: z.strictObject({ text: Str(300), limit: Limit }),
  output: z.object({
    found: z.int(),
    tracks: z
      .array(
        z.object({
          id: Id,
          title: z.string(),
          artist: z.string(),
          isrc: z.string().nullable(),
          iswc: z.string().nullable(),
          releaseDate: DateOnly.nullable(),
          durationMs: z.int().nullable(),
          processingState: z.string(),
        }),
      )
      .max(maxListed),
  }),
  async run({ db, accountId }, { text, limit }) {
    const tracks = await searchTracksOwnedBy(db, accountId, text, limit)
    return {
      output: { found: tracks[0]?.found ?? 0, tracks },
      citations: citationsOf(tracks.map((track) => ({ subject: subjectOfTrack(track) }))),
    }
  },
})
