import { readFile } from 'node:fs/promises'
import { repeat } from '#shared/repeat.ts'
import type { Log } from '../observability/log.ts'
import { fileErrors, SettingsError, type Variables } from './read-environment.ts'
import { type Settings, secretSettings } from './settings.ts'

const fileVariable = (name: string) => `${name}_FILE`

const listFileSettings = (environment: Variables) =>
  secretSettings.filter((name) => environment[fileVariable(name)])

// The path is not printed, because it may be the secret itself, put into the wrong variable.
const describeFailure = (error: unknown) =>
  `must name a readable file (${error instanceof Error && 'code' in error ? error.code : 'unreadable'})`

const readSecretFile = async (
  name: string,
  environment: Variables,
): Promise<{ readonly value: string } | { readonly error: string }> => {
  const variable = fileVariable(name)
  if (environment[name]) return { error: `${name} and ${variable} are both set: set only one of them` }
  try {
    const contents = await readFile(environment[variable] ?? '', 'utf8')
    const value = contents.replace(/\r?\n$/, '')
    return value === '' ? { error: `${variable} must name a file that is not empty` } : { value }
  } catch (error) {
    return { error: `${variable} ${describeFailure(error)}` }
  }
}

/** Replaces each secret's `NAME_FILE` with `NAME`, set to the file's contents. */
export const readSecretFiles = async <E extends Variables>(environment: E): Promise<E & Variables> => {
  const values: Record<string, string> = {}
  const errors: Record<string, string> = {}
  for (const name of listFileSettings(environment)) {
    const read = await readSecretFile(name, environment)
    if ('value' in read) values[name] = read.value
    else errors[name] = read.error
    values[fileVariable(name)] = ''
  }
  return { ...environment, ...values, [fileErrors]: errors }
}

/** Read on each use, so a running process picks up a changed file. All other settings need a restart. */
export const rereadSettings = [
  'OPERATORS',
  'INTERNAL_TOKEN',
  'BILLING_SECRET_KEY',
  'BILLING_WEBHOOK_SECRET',
  'LINKS_API_KEY',
  'LINKS_WEBHOOK_SECRET',
  'EMAIL_API_KEY',
  'EMAIL_WEBHOOK_SECRET',
  'MEDIA_INTELLIGENCE_SECRET',
  'STORAGE_ACCESS_KEY_ID',
  'STORAGE_SECRET_ACCESS_KEY',
  'AI_API_KEY',
  'NOTIFY_URL',
  'NOTIFY_SECRET',
] as const satisfies readonly (keyof Settings)[]

interface FollowOptions<S> {
  readonly environment: Variables
  /** The environment the settings were read from, with file contents filled in. */
  readonly given: Variables
  /** Changed in place. */
  readonly settings: S
  readonly read: (environment: Variables) => S
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly intervalMs?: number
}

const defaultIntervalMs = 5000

/**
 * Compares contents, because Kubernetes replaces mounted files by swapping a symbolic link. Ignores invalid files.
 * Returns a function that stops this.
 */
export const followSecretFiles = <S extends object>({
  environment,
  given,
  settings,
  read,
  log,
  intervalMs = defaultIntervalMs,
}: FollowOptions<S>): (() => void) => {
  // The environment may also name other processes' secret files, which this process must not read.
  const names = listFileSettings(environment).filter((name) => name in settings)
  let accepted = given
  const seen = new Map(names.map((name) => [name, given[name]]))

  const reject = (name: string, error: string) => log.warn({ setting: name, error }, 'secret file rejected')

  const adopt = (name: string, value: string) => {
    const candidate = { ...accepted, [name]: value }
    try {
      const parsed = read(candidate)
      accepted = candidate
      const adopted = rereadSettings.filter((reread) => reread === name && reread in settings)
      Object.assign(settings, Object.fromEntries(adopted.map((key) => [key, Reflect.get(parsed, key)])))
      if (adopted.length > 0) log.info({ setting: name }, 'secret file reread')
      else log.warn({ setting: name }, 'secret file changed, restart needed')
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      reject(name, error.message)
    }
  }

  const look = async (name: string) => {
    const found = await readSecretFile(name, environment)
    const current = 'value' in found ? found.value : found.error
    if (current === seen.get(name)) return
    seen.set(name, current)
    if (!('value' in found)) reject(name, found.error)
    else if (found.value !== accepted[name]) adopt(name, found.value)
  }

  if (names.length === 0) return () => undefined
  const lookAtAll = async () => {
    for (const name of names) await look(name)
  }
  const { stop } = repeat('secrets', lookAtAll, intervalMs)
  return () => void stop()
}
