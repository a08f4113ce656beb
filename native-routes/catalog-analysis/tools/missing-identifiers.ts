import * as z from 'zod'
import { Id } from '#contracts/shared/primitives.ts'
import { findTrackFindings, readTrackFacts, subjectOfTrack } from '../findings/find-track-findings.ts'
import { citationsOf, orderFindings, selectFindings } from '../findings/order-findings.ts'
import { defineTool, Limit, maxListed } from './define-tool.ts'

const Identifier = z.enum(['isrc', 'iswc', 'release_date', 'artwork', 'lyrics'])
const identifiers = Identifier.options

const kindOf = (identifier: z.infer<typeof Identifier>) => `missing_${identifier}` as const

export const missingIdentifiers = defineTool({
  name: 'missing_identifiers',
  description:
    'Lists the tracks that lack an ISRC, an ISWC, a release date, artwork or lyrics, those with a release date first.',
  input: z.strictObject({
    identifiers: z.array(Identifier).min(1).max(identifiers.length).default(identifiers),
    limit: Limit,
  }),
  output: z.object({
    totals: z.array(z.object({ identifier: Identifier, tracks: z.int() })).max(identifiers.length),
    tracks: z
      .array(z.object({ id: Id, title: z.string(), artist: z.string(), missing: z.array(Identifier) }))
      .max(maxListed),
  }),
  async run(scope, input) {
    const wanted = identifiers.filter((identifier) => input.identifiers.includes(identifier))
    const tracks = await readTrackFacts(scope)
    const kinds = wanted.map(kindOf)
    const findings = orderFindings(findTrackFindings(tracks, scope.now, kinds))
    const byTrack = Map.groupBy(findings, ({ subject }) => subject.id)
    const trackOf = new Map(tracks.map((track) => [track.id, track]))
    const listed = [...byTrack.keys()].slice(0, input.limit).flatMap((id) => trackOf.get(id) ?? [])
    const isMissing = (id: string, identifier: z.infer<typeof Identifier>) =>
      byTrack.get(id)?.some(({ kind }) => kind === kindOf(identifier)) ?? false
    const reported = selectFindings(findings)
    return {
      output: {
        totals: wanted.map((identifier) => ({
          identifier,
          tracks: findings.filter(({ kind }) => kind === kindOf(identifier)).length,
        })),
        tracks: listed.map(({ id, title, artist }) => ({
          id,
          title,
          artist,
          missing: wanted.filter((identifier) => isMissing(id, identifier)),
        })),
      },
      findings: reported,
      citations: citationsOf([...reported, ...listed.map((track) => ({ subject: subjectOfTrack(track) }))]),
    }
  },
})
