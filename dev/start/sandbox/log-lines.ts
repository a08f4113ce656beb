import { stripVTControlCharacters, styleText } from 'node:util'
import * as z from 'zod'

const LogLine = z.looseObject({
  // A name such as `info`, or one of pino's level numbers, which the sandbox core writes.
  level: z.union([z.string(), z.number()]),
  time: z.union([z.string(), z.number()]),
  msg: z.string().default(''),
})

const levels = [
  { name: 'error', number: 50, label: 'ERROR', color: 'red' },
  { name: 'warn', number: 40, label: 'WARN ', color: 'yellow' },
  { name: 'info', number: 0, label: 'INFO ', color: 'green' },
] as const

// Fields that have the same value on every line of a process.
const omitted = new Set(['instance', 'version', 'pid', 'hostname'])

const parse = (line: string) => {
  try {
    return LogLine.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

const findLevel = (level: string | number) =>
  levels.find(({ name, number }) => (typeof level === 'string' ? level === name : level >= number)) ??
  levels[2]

const isPlain = (value: string) => /^[\w.:/@+*-]+$/.test(value)

const formatValue = (value: unknown) =>
  typeof value === 'string' && isPlain(value) ? value : JSON.stringify(value)

// Removes control characters, so that no program's output can move the terminal's cursor.
const printable = (text: string) =>
  stripVTControlCharacters(text)
    .replace(/\p{Cc}/gu, ' ')
    .trimEnd()

const localTime = (time: string | number) => {
  const date = new Date(time)
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

type Stream = NonNullable<Parameters<typeof styleText>[2]>['stream']

export const formatLogLine = (program: string, line: string, stream?: Stream) => {
  const entry = parse(line)
  const dim = (text: string) => styleText('dim', text, { stream })
  const name = program.padEnd('providers'.length)
  if (entry === undefined) return { isUrgent: false, text: `${dim(name)} ${printable(line)}` }
  const { level, time, msg, ...fields } = entry
  const { label, color, number } = findLevel(level)
  const shown = Object.entries(fields).flatMap(([field, value]) =>
    omitted.has(field) ? [] : [`${field}=${formatValue(value)}`],
  )
  const text = [
    dim(localTime(time)),
    styleText(color, label, { stream }),
    dim(name),
    printable(msg),
    dim(printable(shown.join(' '))),
  ]
  return { isUrgent: number > 0, text: text.join(' ').trimEnd() }
}
