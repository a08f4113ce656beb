import * as z from 'zod'
import { Count, LongText } from './primitives.ts'

// RFC 5646, section 2.1, part by part
const language = '(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})'
const script = '(?:-[a-z]{4})?'
const region = '(?:-(?:[a-z]{2}|[0-9]{3}))?'
const variants = '(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*'
const extensions = '(?:-[0-9a-wy-z](?:-[a-z0-9]{2,8})+)*'
const privateUse = 'x(?:-[a-z0-9]{1,8})+'
const wellFormed = new RegExp(
  `^(?:${language}${script}${region}${variants}${extensions}(?:-${privateUse})?|${privateUse})$`,
  'i',
)

// RFC 5646, section 2.2.8: grandfathered tags that do not match the grammar
const irregular = new Set(
  [
    'en-gb-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu',
    'sgn-be-fr sgn-be-nl sgn-ch-de',
  ].flatMap((line) => line.split(' ')),
)

/** A well-formed BCP 47 tag of at most 64 characters. The grammar allows longer ones, but none is in use. */
const LanguageTag = z
  .string()
  .trim()
  .max(64, { abort: true })
  .refine((tag) => wellFormed.test(tag) || irregular.has(tag.toLowerCase()), {
    error: 'must be a BCP 47 language tag',
  })

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

/** Missing lines become an empty list. Missing text is filled in with the lines, joined by line feeds. */
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
