import * as z from 'zod'
import { LanguageTag } from './language-tag.ts'
import { Count, LongText } from './primitives.ts'

const LineInput = z
  .object({
    startMs: Count,
    endMs: Count.nullable().default(null),
    text: LongText(1000),
  })
  .refine(({ startMs, endMs }) => endMs === null || endMs > startMs, {
    error: 'must be after startMs',
    path: ['endMs'],
  })

type LineInput = z.output<typeof LineInput>

const requireAscendingStart = ({ value: lines, issues }: z.core.ParsePayload<LineInput[]>) => {
  const firstDescending = lines.findIndex(
    (line, index) => line.startMs < (lines[index - 1]?.startMs ?? line.startMs),
  )
  if (firstDescending < 0) return
  issues.push({
    code: 'custom',
    message: 'must not start before the line above it',
    path: [firstDescending, 'startMs'],
    input: lines,
  })
}

/**
 * Lyrics as input. Missing lines become an empty list. Missing text is filled in with the lines, joined by line feeds.
 */
export const LyricsInput = z
  .object({
    text: LongText(50_000).optional(),
    language: LanguageTag.nullable().default(null),
    lines: z.array(LineInput).max(2000).check(requireAscendingStart).optional(),
  })
  .refine(({ text, lines }) => text !== undefined || lines !== undefined, {
    error: 'must contain text or lines',
    abort: true,
  })
  .meta({ atLeastOneOf: ['text', 'lines'] })
  .transform(({ text, language, lines = [] }) => ({
    text: text ?? lines.map((line) => line.text).join('\n'),
    language,
    lines,
  }))
