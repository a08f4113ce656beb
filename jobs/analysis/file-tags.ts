import { type IAudioMetadata, TimestampFormat } from 'music-metadata'
import { isStorable } from './stored-integer.ts'

interface TimedLine {
  readonly timestamp: number
  readonly text: string
}

const times = /\s*\[(\d{1,3}):(\d{1,2})(?:[.:](\d{1,3}))?\]/y
const header = /^\s*\[([a-z#]+):(.*)\]\s*$/i
const wordTimes = /<\d{1,3}:\d{1,2}(?:[.:]\d{1,3})?>\s*/g

const toMs = ([, minutes, seconds, fraction = '']: RegExpExecArray) =>
  (Number(minutes) * 60 + Number(seconds)) * 1000 + Number(fraction.padEnd(3, '0'))

const readLine = (line: string) => {
  const timestamps: number[] = []
  let textStart = 0
  times.lastIndex = 0
  for (let time = times.exec(line); time; time = times.exec(line)) {
    timestamps.push(toMs(time))
    textStart = times.lastIndex
  }
  const rest = line.slice(textStart)
  return { timestamps, text: timestamps.length > 0 ? rest.replace(wordTimes, '').trim() : rest }
}

/** Returns null if no line begins with a time. */
const readLrc = (lyrics: string) => {
  const all = lyrics.replace(/^\ufeff/, '').split(/\r\n?|\n/)
  const headers = all.map((line) => header.exec(line))
  const stated = headers.find((found) => found?.[1]?.toLowerCase() === 'offset')?.[2] ?? ''
  // A positive offset makes the lines appear earlier.
  const offset = Number.parseInt(stated, 10) || 0
  const lines = all.filter((line) => !header.test(line)).map(readLine)
  const timed = lines.flatMap(({ timestamps, text }) =>
    timestamps.map((timestamp): TimedLine => ({ timestamp: Math.max(0, timestamp - offset), text })),
  )
  return timed.length === 0 ? null : { timed, text: lines.map(({ text }) => text).join('\n') }
}

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

const listNativeTags = ({ native }: IAudioMetadata) => Object.values(native).flat()

type NativeTag = ReturnType<typeof listNativeTags>[number]

// `TXXX:Initial Key`, `----:com.apple.iTunes:initialkey` and `INITIAL_KEY` all become `INITIALKEY`.
const nameOf = (id: string) =>
  id
    .slice(id.lastIndexOf(':') + 1)
    .toUpperCase()
    .replace(/[\s_-]/g, '')

const textOf = (value: unknown): string => {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (Array.isArray(value)) return textOf(value[0])
  return typeof value === 'object' && value !== null && 'text' in value ? textOf(value.text) : ''
}

const listValues = (tags: readonly NativeTag[], names: readonly string[]) =>
  names.flatMap((name) => tags.filter(({ id }) => nameOf(id) === name).map(({ value }) => textOf(value)))

const tempoNames = ['TBPM', 'TBP', 'BPM', 'TMPO', 'TEMPO', 'FBPM']

// Reads native tags, because the parser drops a tempo's fraction. MP4's `tmpo` is an integer too, so only a second tag
// contains the fraction.
const readTempo = (tags: readonly NativeTag[]) => {
  const found = listValues(tags, tempoNames)
    .map((text) => Math.round(Number.parseFloat(text.replace(',', '.')) * 10_000) / 10_000)
    .filter((bpm) => bpm >= 20 && bpm <= 400)
  const [first] = found
  if (first === undefined) return undefined
  return found.find((bpm) => !Number.isInteger(bpm) && Math.abs(bpm - first) < 1) ?? first
}

const keyNames = ['INITIALKEY', 'TKEY', 'TKE', 'KEY']
// Longer texts are not keys: Mixed In Key stores encoded JSON as `KEY`.
const maxKeyLength = 32

const readKey = (tags: readonly NativeTag[]) =>
  listValues(tags, keyNames)
    .map(oneLine)
    .find((key) => key !== '' && key.length <= maxKeyLength)

export const readTags = (metadata: IAudioMetadata): FileTag[] => {
  const { common } = metadata
  const tags = listNativeTags(metadata)
  const [key, bpm] = [readKey(tags), readTempo(tags)]
  const found = [
    ...(common.genre ?? []).map((genre) => tag('genre', genre)),
    ...(common.mood ? [tag('mood', common.mood)] : []),
    ...(key === undefined ? [] : [tag('key', key)]),
    ...(bpm === undefined ? [] : [tag('bpm', String(bpm), bpm)]),
  ]
  const unique = new Map(found.map((item) => [`${item.category} ${item.value.toLowerCase()}`, item]))
  return [...unique.values()].filter(({ value }) => value !== '').slice(0, 50)
}

const lyricsNames = new Set(['USLT', 'ULT', 'LYRICS', 'UNSYNCEDLYRICS', 'SYNCEDLYRICS', '©LYR'])

// The parser reads times in only some of these tags, and only one time per line.
const listLyrics = (metadata: IAudioMetadata) => [
  ...listNativeTags(metadata)
    .filter(({ id }) => lyricsNames.has(nameOf(id)))
    .map(({ value }) => readLrc(textOf(value)) ?? { timed: [], text: textOf(value) }),
  ...(metadata.common.lyrics ?? []).map(({ syncText = [], text, timeStampFormat }) => ({
    timed: timeStampFormat === TimestampFormat.milliseconds ? syncText : [],
    text: text ?? syncText.map((line) => line.text).join('\n'),
  })),
]

export const readLyrics = (metadata: IAudioMetadata): FileLyrics | null => {
  const all = listLyrics(metadata)
  const lyrics = all.find(({ timed }) => timed.length > 0) ?? all.find(({ text }) => text.trim() !== '')
  if (!lyrics) return null
  const lines = lyrics.timed
    .flatMap(({ timestamp, text }) =>
      timestamp !== undefined && isStorable(Math.round(timestamp))
        ? [{ startMs: Math.round(timestamp), endMs: null, text: sanitize(text, 1000) }]
        : [],
    )
    .toSorted((left, right) => left.startMs - right.startMs)
    .slice(0, 2000)
  const text = sanitize(lyrics.text, 50_000)
  return text === '' ? null : { text, language: null, lines }
}
