import * as z from 'zod'
import { DateOnly, Id } from '#contracts/shared/primitives.ts'
import type { TrackPlays } from '#db/queries/catalog-analysis/catalog-plays.ts'
import { comparePeriods, findPlayFindings, readPlays, trendOf } from '../findings/find-play-findings.ts'
import { subjectOfTrack } from '../findings/find-track-findings.ts'
import { citationsOf, selectFindings } from '../findings/order-findings.ts'
import { defineTool, Limit, maxListed } from './define-tool.ts'

const sum = (tracks: readonly TrackPlays[], name: 'plays' | 'previousPlays' | 'views' | 'downloads') =>
  tracks.reduce((total, track) => total + track[name], 0)

const Counts = z.object({ plays: z.int(), previousPlays: z.int(), views: z.int(), downloads: z.int() })

export const playsAndTrends = defineTool({
  name: 'plays_and_trends',
  description:
    'Lists the most played tracks of the last 28 days with their plays in the 28 days before, and whether they rise or fall.',
  input: z.strictObject({ trend: z.enum(['any', 'rising', 'falling']).default('any'), limit: Limit }),
  output: z.object({
    /** Days in UTC. The previous period ends the day before `from`. */
    period: z.object({ previousFrom: DateOnly, from: DateOnly, to: DateOnly }),
    totals: Counts,
    tracks: z
      .array(Counts.extend({ id: Id, title: z.string(), trend: z.enum(['rising', 'falling']).nullable() }))
      .max(maxListed),
  }),
  async run(scope, { trend: wanted, limit }) {
    const played = await readPlays(scope)
    const tracks = played
      .map((track) => ({ ...track, trend: trendOf(track, scope.now) }))
      .filter(({ trend }) => wanted === 'any' || trend === wanted)
      .slice(0, limit)
    const findings = selectFindings(
      findPlayFindings(played, scope.now).filter(
        ({ kind }) => wanted === 'any' || kind === `plays_${wanted}`,
      ),
    )
    return {
      output: {
        period: comparePeriods(scope.now),
        totals: {
          plays: sum(played, 'plays'),
          previousPlays: sum(played, 'previousPlays'),
          views: sum(played, 'views'),
          downloads: sum(played, 'downloads'),
        },
        tracks,
      },
      findings,
      citations: citationsOf([...tracks.map((track) => ({ subject: subjectOfTrack(track) })), ...findings]),
    }
  },
})
