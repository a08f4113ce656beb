import { exitCodes } from '#migration/report/summary.ts'
import { readArgumentsOrExit, readCommandLine } from '../process/command-line.ts'

const common = {
  area: {
    type: 'string',
    takes: 'AREA',
    means: 'compares only this area or route, for example libraries.shares',
  },
  out: {
    type: 'string',
    takes: 'DIRECTORY',
    means: 'writes the reports to this directory; default: the current directory',
  },
} as const

const deployments = {
  native: { type: 'string', takes: 'URL', means: 'URL of the deployment that serves native routes' },
  core: { type: 'string', takes: 'URL', means: 'URL of the deployment to compare with' },
  token: {
    type: 'string',
    takes: 'TOKEN',
    means: 'token of the first account; default: sign tokens with the sandbox key',
  },
  'other-token': {
    type: 'string',
    multiple: true,
    takes: 'TOKEN',
    means: 'token of another account; may be repeated',
  },
  'state-dir': {
    type: 'string',
    takes: 'DIRECTORY',
    means: 'state directory of the sandbox whose key signs tokens; default: .data',
  },
} as const

const parseOrigin = (name: string, value: string | undefined) => {
  if (value === undefined) throw new Error(`--${name} is required`)
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new Error(`--${name} must be an http or https URL`)
  return new URL(value).origin
}

const readContractFlags = (args: readonly string[]) => {
  const { area, out = '.' } = readCommandLine({ name: 'contract', flags: common }, args).values
  return { area, out }
}

/** Parses the flags of `npm run parity`; throws on a missing or invalid flag. */
export const readParityFlags = (args: readonly string[]) => {
  const { values } = readCommandLine({ name: 'parity', flags: { ...deployments, ...common } }, args)
  return {
    area: values.area,
    out: values.out ?? '.',
    native: parseOrigin('native', values.native),
    core: parseOrigin('core', values.core),
    tokens: [values.token, ...(values['other-token'] ?? [])].filter((token) => token !== undefined),
    stateDir: values['state-dir'] ?? '.data',
  }
}

/** Parses the flags of `npm run contract` from the command line; exits on an invalid flag. */
export const readContractFlagsOrExit = () =>
  readArgumentsOrExit('contract', readContractFlags, exitCodes.could_not_compare)

/** Parses the flags of `npm run parity` from the command line; exits on an invalid flag. */
export const readParityFlagsOrExit = () =>
  readArgumentsOrExit('parity', readParityFlags, exitCodes.could_not_compare)

/** Writes the first line of the error that stopped a run to stderr; returns the exit code of the process. */
export const reportComparisonError = (command: string, error: unknown) => {
  const [reason] = String(error instanceof Error ? error.message : error).split('\n')
  process.stderr.write(`${command}: ${reason}\n`)
  return exitCodes.could_not_compare
}
