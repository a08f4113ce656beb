import { exitCodes } from '#migration/report/summary.ts'
import { readArgumentsOrExit, readCommandLine } from '../process/command-line.ts'

const common = {
  area: { type: 'string', takes: 'AREA', means: 'compares one area or route: libraries.shares' },
  out: { type: 'string', takes: 'FOLDER', means: 'writes the reports there, not here' },
} as const

const deployments = {
  native: { type: 'string', takes: 'ADDRESS', means: 'the deployment that serves natively' },
  core: { type: 'string', takes: 'ADDRESS', means: 'the one it is compared with' },
  token: {
    type: 'string',
    takes: 'TOKEN',
    means: 'the account to compare with; else tokens are signed here',
  },
  'other-token': {
    type: 'string',
    multiple: true,
    takes: 'TOKEN',
    means: 'one more account; may be repeated',
  },
  'state-dir': {
    type: 'string',
    takes: 'FOLDER',
    means: 'the sandbox whose key signs tokens; .data where it is not given',
  },
} as const

const originOf = (name: string, value: string | undefined) => {
  if (value === undefined) throw new Error(`--${name} is missing`)
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new Error(`--${name} must be an http or https address`)
  return new URL(value).origin
}

const readContractFlags = (args: readonly string[]) => {
  const { area, out = '.' } = readCommandLine({ name: 'contract', flags: common }, args).values
  return { area, out }
}

/** The flags of a run against two deployments. */
export const readParityFlags = (args: readonly string[]) => {
  const { values } = readCommandLine({ name: 'parity', flags: { ...deployments, ...common } }, args)
  return {
    area: values.area,
    out: values.out ?? '.',
    native: originOf('native', values.native),
    core: originOf('core', values.core),
    tokens: [values.token, ...(values['other-token'] ?? [])].filter((token) => token !== undefined),
    stateDir: values['state-dir'] ?? '.data',
  }
}

/** The flags of a run against a sandbox of its own, or the end of the process. */
export const contractFlags = () =>
  readArgumentsOrExit('contract', readContractFlags, exitCodes.could_not_compare)

/** The flags of a run against two deployments, or the end of the process. */
export const parityFlags = () => readArgumentsOrExit('parity', readParityFlags, exitCodes.could_not_compare)

/** What stopped a run before it compared anything, in one line; answers what the process exits with. */
export const comparisonFailedExitCode = (command: string, error: unknown) => {
  const [reason] = String(error instanceof Error ? error.message : error).split('\n')
  process.stderr.write(`${command}: ${reason}\n`)
  return exitCodes.could_not_compare
}
