import * as z from 'zod'
import type { Queryable } from '../database.ts'
import { day, line } from '../input.ts'

/** A track as its owner sees it. */
export interface TrackRow {
  readonly id: string
  readonly createdAt: Date
}

export const trackColumns = (sql: Queryable) => sql`
  id, title, artist, isrc, iswc, release_date::text as release_date, duration_ms, current_version_id,
  processing_state, created_at, updated_at`

const isIsrc = (code: string) => /^[A-Z]{2}[A-Z0-9]{3}\d{7}$/.test(code)

// ISRC in front is the label of a code, unless it is Iceland and the first two letters of a registrant.
const compactIsrc = (isrc: string) => {
  const compact = isrc.replaceAll(/[\s-]/g, '')
  return isIsrc(compact) ? compact : compact.replace(/^ISRC/, '')
}
const compactIswc = (iswc: string) => iswc.replaceAll(/[\s.-]/g, '')

const codeText = line(1, 64).toUpperCase()
const isrc = codeText.pipe(z.string().refine((code) => isIsrc(compactIsrc(code)), 'not an ISRC'))
const iswc = codeText.pipe(z.string().refine((code) => /^T\d{10}$/.test(compactIswc(code)), 'not an ISWC'))

/** What an owner writes of a track. */
export const trackFields = {
  title: line(1, 300),
  artist: line(1, 300),
  isrc: isrc.nullish(),
  iswc: iswc.nullish(),
  releaseDate: day.nullish(),
}

const Changes = z.object(trackFields).partial()

/** The columns of the fields that are there, with the compact form of the codes that look-ups compare. */
export const columnsOf = ({ isrc: recording, iswc: work, ...fields }: z.output<typeof Changes>) => ({
  ...fields,
  ...(recording !== undefined && { isrc: recording, isrcCompact: recording && compactIsrc(recording) }),
  ...(work !== undefined && { iswc: work, iswcCompact: work && compactIswc(work) }),
})
