import type { Log } from '../observability/log.ts'
import type { Settings } from '../settings/settings.ts'

type Level = Settings['LOG_LEVEL']

const severity: Readonly<Record<Level, number>> = {
  debug: 0,
  info: 1,
  warn: 2,
  error: 3,
  fatal: 4,
  silent: 5,
}

export const createConsoleLog = (threshold: Level, base: Readonly<Record<string, string>> = {}): Log => {
  const write = (level: Level) => (fields: Readonly<Record<string, unknown>>, msg: string) => {
    if (severity[level] < severity[threshold]) return
    // biome-ignore lint/suspicious/noConsole: the console is the log here
    console.log(JSON.stringify({ level, time: new Date().toISOString(), ...base, ...fields, msg }))
  }
  const info = write('info')
  return { info, warn: write('warn'), error: write('error'), request: (fields) => info(fields, 'request') }
}
