import * as z from 'zod'
import { Finding } from '#contracts/shared/catalog-findings.ts'
import { DateOnly, Id } from '#contracts/shared/primitives.ts'
import { findSplitSheet } from '#db/queries/tracks/split-sheets.ts'
import { checkSplitSheet, describeUnbalancedSheets } from '../findings/find-split-sheet-findings.ts'
import { findTrackFindings, readFactsOfTrack, subjectOfTrack } from '../findings/find-track-findings.ts'
import { orderFindings } from '../findings/order-findings.ts'
import { defineTool } from './define-tool.ts'

const releaseKinds = [
  'missing_isrc',
  'missing_iswc',
  'missing_release_date',
  'missing_artwork',
  'missing_lyrics',
  'no_audio',
  'processing_failed',
  'split_sheet_incomplete',
] as const

const Track = z.object({
  id: Id,
  title: z.string(),
  artist: z.string(),
  releaseDate: DateOnly.nullable(),
  isReady: z.boolean(),
  open: z.array(Finding.pick({ kind: true, severity: true, message: true, action: true })).max(10),
})

export const trackReadiness = defineTool({
  name: 'track_readiness',
  description:
    'Shows what one track lacks for its release. The track is null if the account has no track with this id.',
  input: z.strictObject({ trackId: Id }),
  output: z.object({ track: Track.nullable() }),
  async run(scope, { trackId }) {
    const facts = await readFactsOfTrack(scope, trackId)
    if (!facts) return { output: { track: null }, citations: [] }
    const sheet = facts.emptySheetFields ? await findSplitSheet(scope.db, trackId) : null
    const unbalanced = sheet && checkSplitSheet(facts, sheet)
    const findings = orderFindings([
      ...findTrackFindings([facts], scope.now, releaseKinds),
      ...describeUnbalancedSheets(unbalanced ? [unbalanced] : []),
    ])
    const { id, title, artist, releaseDate, audioStatus } = facts
    const isBlocked = findings.some(({ severity }) => severity === 'blocker')
    return {
      output: {
        track: {
          id,
          title,
          artist,
          releaseDate,
          isReady: releaseDate !== null && audioStatus === 'ready' && !isBlocked,
          open: [...findings],
        },
      },
      findings,
      citations: [subjectOfTrack(facts)],
    }
  },
})
