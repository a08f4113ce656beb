import type * as z from 'zod'
import { readCommandLine } from '#shared/command-line.ts'
import { CommandError, type ExitCode, exitCodes } from './exit-codes.ts'

/** Sends one request to the operator API. Throws `CommandError`. */
export type Send = <T>(schema: z.ZodType<T>, method: string, path: string, body?: unknown) => Promise<T>

interface VerbResult {
  readonly json: unknown
  readonly text: string
  readonly exitCode?: ExitCode
}

export const showResponse = async <T>(response: Promise<T>, format: (json: T) => string) => {
  const json = await response
  return { json, text: format(json) }
}

interface VerbTexts {
  readonly takes: string
  readonly means: string
}

export interface Verb extends VerbTexts {
  run(args: readonly string[], send: Send): Promise<VerbResult>
}

const jsonFlag = { type: 'boolean', means: 'prints the response as JSON' } as const

export const reasonFlag = {
  type: 'string',
  takes: 'TEXT',
  means: 'why; required, and recorded in the audit log',
} as const

export const isWholeNumber = (text: string, min = 0, max = 2_147_483_647) =>
  /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max

type Flags = Parameters<typeof readCommandLine>[0]['flags']

const createUsageError = (message: string, usage: string) =>
  new CommandError(exitCodes.usage, message, { usage })

// The error's first line says what is wrong; the rest is the usage text.
const toUsageError = (error: unknown) => {
  const [message = '', ...usage] = (error instanceof Error ? error.message : String(error)).split('\n')
  return createUsageError(message, usage.join('\n'))
}

const countOperands = (count: number) => (count === 1 ? '1 operand' : `${count} operands`)

interface VerbSyntax<F extends Flags> extends VerbTexts {
  readonly flags: F
  /** How many operands are required. `takes` shows how many are allowed: if it ends in `...`, there is no maximum. */
  readonly required?: number
}

const readArguments = <F extends Flags>(
  { takes, means, flags, required = 0 }: VerbSyntax<F>,
  args: readonly string[],
) => {
  const read = () => {
    try {
      return readCommandLine(
        {
          name: 'routes',
          does: `${means.charAt(0).toUpperCase()}${means.slice(1)}.`,
          operand: { takes, means },
          flags: { ...flags, json: jsonFlag },
        },
        args,
      )
    } catch (error) {
      throw toUsageError(error)
    }
  }
  const line = read()
  const most = takes.endsWith('...') ? Number.POSITIVE_INFINITY : takes.split(' ').length - 1
  const { length } = line.operands
  if (length < required || length > most)
    throw createUsageError(`expected "${takes}", got ${countOperands(length)}`, line.usage)
  return {
    ...line,
    operandAt: (index: number) => line.operands[index] ?? '',
    fail: (message: string): never => {
      throw createUsageError(message, line.usage)
    },
  }
}

interface VerbDefinition<F extends Flags> extends VerbSyntax<F> {
  readonly run: (given: ReturnType<typeof readArguments<F>>, send: Send) => VerbResult | Promise<VerbResult>
}

export const defineVerb = <F extends Flags>(definition: VerbDefinition<F>): Verb => {
  const { takes, means, run } = definition
  return { takes, means, run: async (args, send) => run(readArguments(definition, args), send) }
}

export const requireReason = (reason: string | undefined, fail: (message: string) => never) =>
  reason?.trim() || fail('--reason is required: say why, for the audit')
