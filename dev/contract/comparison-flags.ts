import { runExitCodeNotes, runExitCodes } from '#migration/parity/report/summary.ts'
import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'

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

const contractFlags = {
  post: {
    type: 'boolean',
    means: "posts each route's result to the gateway at ADMIN_URL, as evidence about the route's code",
  },
  mutants: {
    type: 'boolean',
    means:
      'measures how many faults in native handlers the scenarios notice, and writes the result to .data/mutants',
  },
  changed: {
    type: 'boolean',
    means: 'with --mutants: only faults in files that differ from main, at most 60',
  },
  sample: {
    type: 'string',
    takes: 'NUMBER',
    means: 'with --mutants: only this many faults, selected at random',
  },
  seed: {
    type: 'string',
    takes: 'TEXT',
    means: 'with --sample: the seed for the random selection; default: crossfade',
  },
  shard: {
    type: 'string',
    takes: 'K/N',
    means: 'with --mutants: only the Kth of N shares of the faults, for machines that divide a run',
  },
} as const

const parseSample = (sample: string | undefined) => {
  if (sample === undefined) return undefined
  if (!/^[1-9]\d{0,5}$/.test(sample)) throw new Error('--sample must be a positive integer')
  return Number(sample)
}

const parseShard = (shard = '1/1') => {
  const [, index, count] = /^([1-9]\d?)\/([1-9]\d?)$/.exec(shard) ?? []
  if (index === undefined || Number(index) > Number(count))
    throw new Error('--shard must be K/N, for example 1/3, and K at most N')
  return { index: Number(index), count: Number(count) }
}

const contractNotes = [
  ...runExitCodeNotes,
  'environment of --post:',
  '  OPERATOR_TOKEN  the token of an operator with the role contract or write',
  "  ADMIN_URL       a gateway's admin listener; default: the one that npm start runs",
] as const

const deployments = {
  native: { type: 'string', takes: 'URL', means: 'URL of the deployment that serves native routes' },
  core: { type: 'string', takes: 'URL', means: 'URL of the deployment to compare with' },
  yes: {
    type: 'boolean',
    means: 'sends the requests; without --yes, the command only prints what it would write',
  },
  billing: {
    type: 'boolean',
    means: "also changes the accounts' subscriptions and creates checkout sessions",
  },
  irreversible: {
    type: 'boolean',
    means:
      'also uploads files, starts analyses, creates short links, records visits and exhausts rate limits',
  },
  'state-dir': {
    type: 'string',
    takes: 'DIRECTORY',
    means: 'state directory of the sandbox whose key signs tokens; default: .data',
  },
} as const

const notes = [
  'environment:',
  '  PARITY_TOKEN_A, PARITY_TOKEN_B, ...  tokens of existing accounts; default: new tokens, signed with the sandbox key',
  ...runExitCodeNotes,
]

const parseOrigin = (name: string, value: string | undefined) => {
  if (value === undefined) throw new Error(`--${name} is required`)
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new Error(`--${name} must be an http or https URL`)
  const { pathname, search, hash, origin } = new URL(value)
  if (pathname !== '/' || search !== '' || hash !== '')
    throw new Error(`--${name} must be a URL without a path, because the routes are at the root of the host`)
  return origin
}

const readContractFlags = (args: readonly string[]) => {
  const command = {
    name: 'contract',
    does: 'Starts a sandbox and compares native with the core, route by route.',
    example: '--area libraries.shares',
    flags: { ...common, ...contractFlags },
    notes: contractNotes,
  }
  const { values } = readCommandLine(command, args)
  const { area, out, post: isPosted = false, mutants: isMutated = false } = values
  // Scenarios of other areas may use a route too, so a run of one area cannot show that its routes have no differences.
  if (isPosted && area !== undefined) throw new Error('--post needs a run of all routes: remove --area')
  if (isPosted && isMutated)
    throw new Error('--mutants tests the scenarios and produces no evidence to post: remove --post')
  const given = (['changed', 'sample', 'seed', 'shard'] as const).find((flag) => values[flag] !== undefined)
  if (!isMutated && given !== undefined) throw new Error(`--${given} needs --mutants`)
  const { changed: isChanged = false, seed = 'crossfade' } = values
  return {
    area,
    out: out ?? '.',
    isPosted,
    mutants: isMutated
      ? {
          isChanged,
          sample: parseSample(values.sample),
          seed,
          shard: parseShard(values.shard),
          out: out ?? '.data/mutants',
        }
      : null,
  }
}

// Tokens must not be flags: npm prints a command's arguments, and other users of the machine can list them.
const rejectTokens = (args: readonly string[]) => {
  for (const [flag, variable] of [
    ['--token', 'PARITY_TOKEN_A'],
    ['--other-token', 'PARITY_TOKEN_B'],
  ])
    if (args.some((arg) => arg === flag || arg.startsWith(`${flag}=`)))
      throw new Error(
        `${flag} is not accepted, because other users can see command-line arguments: set ${variable} instead`,
      )
}

export const readParityFlags = (args: readonly string[]) => {
  rejectTokens(args)
  const command = {
    name: 'parity',
    does: 'Compares the responses of two deployments. It writes to both, but only with --yes.',
    example: '--native https://native.example --core https://core.example',
    flags: { ...deployments, ...common },
    notes,
  }
  const { values } = readCommandLine(command, args)
  return {
    area: values.area,
    out: values.out ?? '.',
    native: parseOrigin('native', values.native),
    core: parseOrigin('core', values.core),
    isConfirmed: values.yes ?? false,
    permissions: { billing: values.billing ?? false, irreversible: values.irreversible ?? false },
    stateDir: values['state-dir'] ?? '.data',
  }
}

export const readContractFlagsOrExit = () =>
  readArgumentsOrExit('contract', readContractFlags, runExitCodes.could_not_compare)

export const readParityFlagsOrExit = () =>
  readArgumentsOrExit('parity', readParityFlags, runExitCodes.could_not_compare)

export const reportComparisonError = (command: string, error: unknown) => {
  const [reason] = String(error instanceof Error ? error.message : error).split('\n')
  process.stderr.write(`${command}: ${reason}\n`)
  return runExitCodes.could_not_compare
}
