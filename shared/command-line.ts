import { parseArgs } from 'node:util'
import { formatCommand } from '#shared/format-command.ts'

interface ValueFlag {
  readonly type: 'string'
  readonly multiple?: true
  readonly default?: string
  readonly takes: string
  readonly means: string
}

interface Switch {
  readonly type: 'boolean'
  readonly means: string
}

type Flag = ValueFlag | Switch

type Flags = Readonly<Record<string, Flag>>

export interface Command<F extends Flags> {
  readonly name: string
  readonly does: string
  readonly example?: string
  readonly operand?: { readonly takes: string; readonly means: string }
  readonly flags: F
  readonly notes?: readonly string[]
}

type Values<F extends Flags> = {
  readonly [N in keyof F]?: F[N] extends Switch
    ? boolean
    : F[N] extends { multiple: true }
      ? string[]
      : string
}

const formatFlag = (name: string, flag: Flag) =>
  flag.type === 'boolean' ? `--${name}` : `--${name} ${flag.takes}`

const formatUsage = ({ name, operand, flags, notes = [] }: Omit<Command<Flags>, 'does'>) => {
  const rows = [
    ...(operand ? [[operand.takes, operand.means] as const] : []),
    ...Object.entries(flags).map(([name, flag]) => [formatFlag(name, flag), flag.means] as const),
    ['--help', 'prints this help'] as const,
  ]
  const width = Math.max(...rows.map(([left]) => left.length))
  return [
    `usage: ${formatCommand(name, ...(operand ? [operand.takes] : []), '[flags]')}`,
    ...rows.map(([left, means]) => `  ${left.padEnd(width)}  ${means}`),
    ...notes,
  ].join('\n')
}

const formatHelp = ({ name, does, example }: Command<Flags>, usage: string) =>
  [
    does,
    ...(example === undefined
      ? []
      : [`example: ${formatCommand(name, ...(example === '' ? [] : [example]))}`]),
    usage,
  ].join('\n')

/** Throws an error with the usage if they are invalid; `--help` prints the help and exits. */
export const readCommandLine = <F extends Flags>(command: Command<F>, args: readonly string[]) => {
  const usage = formatUsage(command)
  if (args.includes('--help')) {
    process.stdout.write(`${formatHelp(command, usage)}\n`)
    process.exit(0)
  }
  try {
    const allowPositionals = command.operand !== undefined
    const { values, positionals } = parseArgs({ args, options: command.flags, allowPositionals })
    return { values: values as Values<F>, operands: positionals, usage }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // Node adds how to pass a positional argument that begins with a dash. No command needs one.
    const [problem] = message.split('. To specify a positional argument', 1)
    throw new Error(`${problem}\n${usage}`, { cause: error })
  }
}

export const readArgumentsOrExit = <T>(
  command: string,
  read: (args: readonly string[]) => T,
  exitCode: number,
): T => {
  try {
    return read(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${command}: ${error instanceof Error ? error.message : error}\n`)
    return process.exit(exitCode)
  }
}
