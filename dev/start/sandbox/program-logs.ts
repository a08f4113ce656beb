import { mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { ReadOutput } from '../start-child.ts'
import { formatLogLine } from './log-lines.ts'

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
