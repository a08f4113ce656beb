import type * as z from 'zod'
import { describeIssue } from '#contracts/shared/describe-issue.ts'
import { describeValue } from './describe-value.ts'

export const splitList = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

/** The message lists each invalid variable with its error and value, but no secrets. */
export class SettingsError extends Error {
  override name = 'SettingsError'

  constructor(errors: readonly string[]) {
    super(
      `invalid configuration: set or correct these variables:\n${errors.map((error) => `  ${error}`).join('\n')}`,
    )
  }
}

/** The original paths of variables whose values were replaced by a file's contents. */
export const givenPaths = Symbol('given paths')

/** Errors of secret files, keyed by the variable that the file is for. */
export const fileErrors = Symbol('file errors')

export type Variables = Readonly<Record<string, string | undefined>> & {
  readonly [givenPaths]?: Readonly<Record<string, string>> | undefined
  readonly [fileErrors]?: Readonly<Record<string, string>> | undefined
}

const isJson = (text: string) => {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

const describeSettingsIssue = (
  { path, code, message }: z.core.$ZodIssue,
  schema: z.ZodObject,
  given: Variables,
) => {
  const [variable, ...inner] = path.map(String)
  const name = variable ?? ''
  const value = given[name]
  if (value === undefined) return code === 'custom' ? `${name} ${message}` : `${name} is missing`
  const isInsideJson = inner.length > 0 && isJson(value)
  const error = isInsideJson ? `is invalid at ${inner.join('.')}: ${message}` : message
  const [, index] = path
  const item =
    !isInsideJson && path.length === 2 && typeof index === 'number' ? splitList(value)[index] : undefined
  // Shows a file's path instead of its contents: a file named by mistake may hold secrets.
  const shown = given[givenPaths]?.[name] ?? item ?? value
  return `${name} ${error} (${describeValue(schema.shape[name], shown)})`
}

/** An empty variable counts as unset. Throws `SettingsError`. */
export const readEnvironment = <S extends z.ZodObject>(schema: S, environment: Variables): z.output<S> => {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const { [givenPaths]: paths, [fileErrors]: ofFiles = {} } = environment
  const unread = Object.keys(ofFiles).filter((name) => name in schema.shape)
  const parsed = schema.safeParse(given, { error: describeIssue })
  if (parsed.success && unread.length === 0) return parsed.data
  // If a setting's file could not be read, that error is enough: do not report a missing value too.
  const issues = (parsed.error?.issues ?? []).filter(({ path }) => !unread.includes(String(path[0])))
  const errors = issues.map((issue) =>
    describeSettingsIssue(issue, schema, { ...given, [givenPaths]: paths }),
  )
  throw new SettingsError([...new Set([...errors, ...unread.map((name) => ofFiles[name] ?? name)])])
}
