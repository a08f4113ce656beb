import * as z from 'zod'
import type { Queryable } from '../database.ts'
import { day, singleLineText } from '../input.ts'

export interface TrackRow {
  readonly id: string
  readonly createdAt: Date
}

export const trackColumns = (sql: Queryable) => sql`
  id, title, artist, isrc, iswc, release_date::text as release_date, duration_ms, current_version_id,
  processing_state, created_at, updated_at`

const isIsrc = (code: string) => /^[A-Z]{2}[A-Z0-9]{3}\d{7}$/.test(code)

// A leading `ISRC` is a label unless the code is valid with it (country `IS`, registrant `RC...`).
const compactIsrc = (isrc: string) => {
  const compact = isrc.replaceAll(/[\s-]/g, '')
  return isIsrc(compact) ? compact : compact.replace(/^ISRC/, '')
}
const compactIswc = (iswc: string) => iswc.replaceAll(/[\s.-]/g, '')

const codeText = singleLineText(1, 64).toUpperCase()
const isrc = codeText.pipe(z.string().refine((code) => isIsrc(compactIsrc(code)), 'not an ISRC'))
const iswc = codeText.pipe(z.string().refine((code) => /^T\d{10}$/.test(compactIswc(code)), 'not an ISWC'))

export const trackFields = {
  title: singleLineText(1, 300),
  artist: singleLineText(1, 300),
  isrc: isrc.nullish(),
  iswc: iswc.nullish(),
  releaseDate: day.nullish(),
}

const Changes = z.object(trackFields).partial()

/** Stores each code in a compact form too, because lookups search for that form. */
export const toColumns = ({ isrc: isrcValue, iswc: iswcValue, ...fields }: z.output<typeof Changes>) => ({
  ...fields,
  ...(isrcValue !== undefined && { isrc: isrcValue, isrcCompact: isrcValue && compactIsrc(isrcValue) }),
  ...(iswcValue !== undefined && { iswc: iswcValue, iswcCompact: iswcValue && compactIswc(iswcValue) }),
})
