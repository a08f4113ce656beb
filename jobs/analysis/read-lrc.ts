interface TimedLine {
  readonly timestamp: number
  readonly text: string
}

const times = /\s*\[(\d{1,3}):(\d{1,2})(?:[.:](\d{1,3}))?\]/y
// Such as `[ar:The Owls]`.
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

/** Reads lyrics in the LRC format: a text with times in it. Returns null if no line begins with a time. */
export const readLrc = (lyrics: string) => {
  const all = lyrics.replace(/^\ufeff/, '').split(/\r\n?|\n/)
  const headers = all.map((line) => header.exec(line))
  const stated = headers.find((found) => found?.[1]?.toLowerCase() === 'offset')?.[2] ?? ''
  // A positive offset shows the lines earlier.
  const offset = Number.parseInt(stated, 10) || 0
  const lines = all.filter((line) => !header.test(line)).map(readLine)
  const timed = lines.flatMap(({ timestamps, text }) =>
    timestamps.map((timestamp): TimedLine => ({ timestamp: Math.max(0, timestamp - offset), text })),
  )
  return timed.length === 0 ? null : { timed, text: lines.map(({ text }) => text).join('\n') }
}
