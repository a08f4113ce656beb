import type * as z from 'zod'

/** The settings are wrong; the message names each variable and what is the matter with it, never its value. */
export class SettingsError extends Error {
  override name = 'SettingsError'

  constructor(faults: readonly string[]) {
    super(`These settings stop the start:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
  }
}

export type Variables = Readonly<Record<string, string | undefined>>

/** What a schema reads from the environment, where an empty variable counts as unset. Throws `SettingsError`. */
export const readEnvironment = <S extends z.ZodType>(schema: S, environment: Variables): z.output<S> => {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(({ path, code, message }) => {
    const name = String(path[0])
    return given[name] === undefined && code !== 'custom' ? `${name} is missing` : `${name} ${message}`
  })
  throw new SettingsError([...new Set(faults)])
}
