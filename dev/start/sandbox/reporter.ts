import { join } from 'node:path'
import { createProgress, type Terminal } from '../../progress.ts'
import type { SandboxReporter } from '../start-sandbox.ts'
import { type BannerContent, formatBanner, formatTerminalBanner } from './banner.ts'
import { openProgramLogs } from './program-logs.ts'

interface Reporter extends SandboxReporter {
  readonly print: (line: string) => void
  readonly ready: (content: BannerContent) => void
  readonly failed: (message: string) => void
  readonly stopping: () => void
  readonly stopped: () => void
}

/** Prints the logs of all parts unchanged, for a service manager, CI or a pipe. */
export const createPlainReporter = (): Reporter => {
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  return {
    print,
    ready: (content) => print(formatBanner(content)),
    failed: print,
    stopping: () => undefined,
    stopped: () => undefined,
  }
}

interface TerminalReporterOptions {
  readonly stateDir: string
  readonly showsLogs: boolean
}

/** Prints only what a person needs to see. Log lines are printed only on request, or if something is wrong. */
export const createTerminalReporter = (
  terminal: Terminal,
  { stateDir, showsLogs }: TerminalReporterOptions,
): Reporter => {
  const startedAt = performance.now()
  // Writing to a closed terminal fails. The parts have to be stopped nevertheless.
  terminal.on('error', () => undefined)
  const progress = createProgress(terminal)
  const { print, follow } = progress
  const logs = openProgramLogs({
    folder: join(stateDir, 'logs'),
    printsAll: showsLogs,
    print,
    stream: terminal,
  })
  return {
    print,
    follow,
    readOutputOf: logs,
    ready: (content) =>
      print(
        formatTerminalBanner(content, { stateDir, startMs: performance.now() - startedAt, stream: terminal }),
      ),
    failed(message) {
      progress.end()
      print(message)
    },
    stopping() {
      progress.end()
      print('Stopping: requests and jobs in progress are finishing.')
    },
    stopped: () => print('Stopped.'),
  }
}
