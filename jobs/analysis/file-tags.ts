import type { IAudioMetadata } from 'music-metadata'
import { isStorable } from './stored-integer.ts'

/** A tag that is embedded in a file. */
export interface FileTag {
  readonly category: 'genre' | 'mood' | 'key' | 'bpm'
  readonly value: string
  readonly numericValue: number | null
}

export interface FileLyrics {
  readonly text: string
  readonly language: string | null
  readonly lines: readonly { readonly startMs: number; readonly endMs: null; readonly text: string }[]
}

const sanitize = (text: string, max: number) =>
  Array.from(text.toWellFormed().replace(/\r\n?/g, '\n'))
    .filter((character) => character >= ' ' || character === '\n' || character === '\t')
    .slice(0, max)
    .join('')
    .trim()

const oneLine = (text: string) => sanitize(text.replace(/\s+/g, ' '), 200)

const tag = (category: FileTag['category'], value: string, numericValue: number | null = null) => ({
  category,
  value: oneLine(value),
  numericValue,
})

const isTempo = (bpm: number | undefined): bpm is number => bpm !== undefined && bpm >= 20 && bpm <= 400

/** Reads the tags of a file without duplicates and empty values. */
export const readTags = ({ common }: IAudioMetadata): FileTag[] => {
  const found = [
    ...(common.genre ?? []).map((genre) => tag('genre', genre)),
    ...(common.mood ? [tag('mood', common.mood)] : []),
    ...(common.key ? [tag('key', common.key)] : []),
    ...(isTempo(common.bpm) ? [tag('bpm', String(common.bpm), common.bpm)] : []),
  ]
  const unique = new Map(found.map((item) => [`${item.category} ${item.value.toLowerCase()}`, item]))
  return [...unique.values()].filter(({ value }) => value !== '').slice(0, 50)
}

/** Reads the lyrics of a file, with timed lines where the file has them. Returns null if it has no lyrics. */
export const readLyrics = ({ common }: IAudioMetadata): FileLyrics | null => {
  const lyrics = common.lyrics?.find(({ syncText, text }) => (syncText?.length ?? 0) > 0 || text)
  if (!lyrics) return null
  const lines = (lyrics.syncText ?? [])
    .flatMap(({ timestamp, text }) =>
      timestamp !== undefined && isStorable(Math.round(timestamp))
        ? [{ startMs: Math.round(timestamp), endMs: null, text: sanitize(text, 1000) }]
        : [],
    )
    .toSorted((left, right) => left.startMs - right.startMs)
    .slice(0, 2000)
  const text = sanitize(lyrics.text ?? lines.map((line) => line.text).join('\n'), 50_000)
  return text === '' ? null : { text, language: null, lines }
}
