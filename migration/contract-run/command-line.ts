import { parseArgs } from 'node:util'
import { exitCodes } from '../report/summary.ts'

interface Flags {
  readonly [name: string]: { readonly type: 'string'; readonly multiple?: true }
}

const common = { area: { type: 'string' }, out: { type: 'string' } } as const satisfies Flags

const deployments = {
  native: { type: 'string' },
  core: { type: 'string' },
  token: { type: 'string' },
  'other-token': { type: 'string', multiple: true },
  'state-dir': { type: 'string' },
} as const satisfies Flags

const originOf = (name: string, value: string | undefined) => {
  if (value === undefined) throw new Error(`--${name} is missing`)
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new Error(`--${name} must be an http or https address`)
  return new URL(value).origin
}

/** The flags of a run against a sandbox of its own. */
export const readContractFlags = (args: string[]) => {
  const { area, out = '.' } = parseArgs({ args, options: common }).values
  return { area, out }
}

/** The flags of a run against two deployments. */
export const readParityFlags = (args: string[]) => {
  const { values } = parseArgs({ args, options: { ...common, ...deployments } })
  return {
    area: values.area,
    out: values.out ?? '.',
    native: originOf('native', values.native),
    core: originOf('core', values.core),
    tokens: [values.token, ...(values['other-token'] ?? [])].filter((token) => token !== undefined),
    stateDir: values['state-dir'] ?? '.data',
  }
}

/** What stopped a run before it compared anything, in one line; answers what the process exits with. */
export const couldNotCompare = (command: string, error: unknown) => {
  const [reason] = String(error instanceof Error ? error.message : error).split('\n')
  process.stderr.write(`${command}: ${reason}\n`)
  return exitCodes.could_not_compare
}
