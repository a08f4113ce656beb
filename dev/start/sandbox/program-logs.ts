import { mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { stripVTControlCharacters, styleText } from 'node:util'
import * as z from 'zod'
import type { ReadOutput } from '../start-child.ts'

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

// What `describeError` returns.
const Failure = z.object({
  name: z.string(),
  code: z.string().optional(),
  reason: z.string().optional(),
  at: z.array(z.string()),
  cause: z.unknown().optional(),
})

const project = new URL('../../../', import.meta.url).href
const isOwnFrame = (frame: string) => !/node:|node_modules/.test(frame)

// One place for each error. The log file has all stack frames.
const formatFailure = ({ name, code = '', reason, at, cause }: z.infer<typeof Failure>): string => {
  const place = at.find(isOwnFrame)?.replace(project, '') ?? ''
  const error = [name, code, place].filter((part) => part !== '').join(' ')
  const underlying = Failure.safeParse(cause).data
  return [
    reason === undefined ? error : `${error}: ${reason}`,
    ...(underlying ? [`caused by ${formatFailure(underlying)}`] : []),
  ].join(', ')
}

const formatValue = (value: unknown) => {
  const failure = Failure.safeParse(value).data
  if (failure) return formatFailure(failure)
  return typeof value === 'string' && isPlain(value) ? value : JSON.stringify(value)
}

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

interface ProgramLogOptions {
  readonly folder: string
  /** If false, only warnings and errors are printed. */
  readonly printsAll: boolean
  readonly print: (line: string) => void
  readonly stream: NodeJS.WritableStream
}

// At the gateway's default log level, nearly all lines are about requests, at level info. Those are left out without
// being parsed.
const isInfo = (line: string) => line.startsWith('{"level":"info",')

/**
 * Writes each program's output to a file of its own, emptied at each start. Prints only what a person needs to
 * see.
 */
export const openProgramLogs = ({ folder, printsAll, print, stream }: ProgramLogOptions) => {
  const files = new Map<string, number>()

  const openFile = (program: string) => {
    const known = files.get(program)
    if (known !== undefined) return known
    mkdirSync(folder, { recursive: true })
    const file = openSync(join(folder, `${program}.log`), 'w', 0o600)
    files.set(program, file)
    return file
  }

  const write = (file: number, line: string) => {
    try {
      writeSync(file, `${line}\n`)
    } catch {
      // A full disk must not stop the gateway.
    }
  }

  return (program: string): ReadOutput => {
    const file = openFile(program)
    const read = (output: Readable, isError: boolean) =>
      createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
        write(file, line)
        if (line === '' || (!printsAll && isInfo(line))) return
        const { isUrgent, text } = formatLogLine(program, line, stream)
        if (printsAll || isUrgent || isError) print(text)
      })
    return (stdout, stderr) => {
      read(stdout, false)
      read(stderr, true)
    }
  }
}
