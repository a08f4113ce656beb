import type * as z from 'zod'

/** Invalid configuration. The message names each invalid variable and its error, but never its value. */
export class SettingsError extends Error {
  override name = 'SettingsError'

  constructor(errors: readonly string[]) {
    super(
      `invalid configuration, set or correct these variables:\n${errors.map((error) => `  ${error}`).join('\n')}`,
    )
  }
}

export type Variables = Readonly<Record<string, string | undefined>>

const describeIssue = ({ path, code, message }: z.core.$ZodIssue, given: Variables) => {
  const [variable, ...inner] = path.map(String)
  const name = variable ?? ''
  if (given[name] === undefined && code !== 'custom') return `${name} is missing`
  const isInsideJson = typeof path.at(-1) === 'string' && inner.length > 0
  return isInsideJson ? `${name} is invalid at ${inner.join('.')}: ${message}` : `${name} ${message}`
}

/** Parses the environment; an empty variable counts as unset. Throws `SettingsError`. */
export const readEnvironment = <S extends z.ZodType>(schema: S, environment: Variables): z.output<S> => {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const errors = parsed.error.issues.map((issue) => describeIssue(issue, given))
  throw new SettingsError([...new Set(errors)])
}
