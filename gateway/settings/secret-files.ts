import { readFile } from 'node:fs/promises'
import { fileErrors, type Variables } from './read-environment.ts'
import { secretSettings } from './settings.ts'

const fileVariable = (name: string) => `${name}_FILE`

export const listFileSettings = (environment: Variables) =>
  secretSettings.filter((name) => environment[fileVariable(name)])

// The path is not printed, because it may be the secret itself, put into the wrong variable.
const describeFailure = (error: unknown) =>
  `must name a readable file (${error instanceof Error && 'code' in error ? error.code : 'unreadable'})`

/** Returns a secret file's contents without one trailing newline, or what is wrong with it. */
export const readSecretFile = async (
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

/**
 * Replaces each secret's `NAME_FILE` with `NAME`, set to the file's contents. Settings validation reports a bad file
 * along with everything else.
 */
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
