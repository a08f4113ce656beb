import * as z from 'zod'
import type { RegisterRoutes } from '../create-app.ts'
import { type Queryable, requireRow } from '../database.ts'
import { multilineText, readBody } from '../input.ts'
import { requireOwnedTrackId, rethrowAsTrackNotFound } from '../track-scope.ts'

// The subtags in BCP 47 order, each with its leading hyphen.
const subtags = [
  /[a-z]{2,3}(-[a-z]{3}){0,3}|[a-z]{4,8}/,
  /(-[a-z]{4})?/,
  /(-[a-z]{2}|-\d{3})?/,
  /(-[a-z\d]{5,8}|-\d[a-z\d]{3})*/,
  /(-[a-wyz\d](-[a-z\d]{2,8})+)*/,
  /(-x(-[a-z\d]{1,8})+)?/,
]
const regular = new RegExp(`^${subtags.map(({ source }) => `(${source})`).join('')}$`, 'i')
const privateUse = /^x(-[a-z\d]{1,8})+$/i
const grandfathered =
  /^(en-gb-oed|i-(ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|tao|tay|tsu)|sgn-(be-fr|be-nl|ch-de))$/i

const languageTag = z
  .string('expected a string')
  .trim()
  .max(64, { error: 'expected at most 64 characters', abort: true })
  .refine(
    (tag) => [regular, privateUse, grandfathered].some((pattern) => pattern.test(tag)),
    'not a language tag',
  )

const columns = (sql: Queryable) => sql`
  track_id, text, language, lines, source, status, created_at, updated_at`

const milliseconds = z.int('expected a whole number').min(0, 'expected 0 or more')

const Line = z
  .object({ startMs: milliseconds, endMs: milliseconds.nullish(), text: multilineText(1000) })
  .refine(({ startMs, endMs }) => endMs == null || endMs > startMs, {
    path: ['endMs'],
    error: 'must come after startMs',
  })
  .transform(({ startMs, endMs, text }) => ({ startMs, endMs: endMs ?? null, text }))

const Lines = z
  .array(Line, 'expected an array')
  .max(2000, 'expected at most 2000 lines')
  .superRefine((lines, { addIssue }) => {
    const unsorted = lines.findIndex(({ startMs }, index) => startMs < (lines[index - 1]?.startMs ?? startMs))
    if (unsorted >= 0)
      addIssue({ code: 'custom', path: [unsorted, 'startMs'], message: 'must be in the order of startMs' })
  })

const NewLyrics = z
  .object({
    text: multilineText(50_000).optional(),
    language: languageTag.nullish(),
    lines: Lines.optional(),
  })
  .refine(({ text, lines }) => text !== undefined || lines !== undefined, 'text or lines is required')

const emptyLyrics = {
  text: null,
  language: null,
  lines: [],
  source: null,
  status: 'none',
  createdAt: null,
  updatedAt: null,
}

export const trackLyrics: RegisterRoutes = (app, { sql }) => {
  app.get('/v1/tracks/:trackId/lyrics', async (request) => {
    const trackId = requireOwnedTrackId(request)
    const [lyrics] = await sql`
      select ${columns(sql)} from track_lyrics where track_id = ${trackId}`
    return lyrics ?? { trackId, ...emptyLyrics }
  })

  app.put('/v1/tracks/:trackId/lyrics', async (request) => {
    const { text, language, lines = [] } = readBody(request, NewLyrics)
    const lyricsText = text ?? lines.map((line) => line.text).join('\n')
    const isCleared = lyricsText === '' && lines.length === 0
    const values = {
      trackId: requireOwnedTrackId(request),
      text: isCleared ? null : lyricsText,
      language: language ?? null,
      lines: sql.json(lines),
      source: 'user',
      status: isCleared ? 'none' : 'ready',
      userEdited: true,
      provider: null,
      model: null,
    }
    return requireRow(
      await sql`
        insert into track_lyrics ${sql(values)}
        on conflict (track_id) do update set ${sql(values)}, updated_at = now()
        returning ${columns(sql)}`.catch(rethrowAsTrackNotFound),
    )
  })
}
