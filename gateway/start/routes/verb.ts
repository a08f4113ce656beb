import type * as z from 'zod'
import { readCommandLine } from '../../process/command-line.ts'
import { CommandError, exitCodes } from './exit-codes.ts'

/** Sends one request to the operator API. Throws `CommandError`. */
export type Send = <T>(schema: z.ZodType<T>, method: string, path: string, body?: unknown) => Promise<T>

interface VerbResult {
  readonly json: unknown
  readonly text: string
}

export interface Verb {
  /** Its operands as the usage text shows them. */
  readonly takes: string
  readonly means: string
  run(args: readonly string[], send: Send): VerbResult | Promise<VerbResult>
}

export const jsonFlag = { type: 'boolean', means: 'prints the response as JSON' } as const

export const reasonFlag = {
  type: 'string',
  takes: 'TEXT',
  means: 'why; required, and recorded in the audit',
} as const

type Flags = Parameters<typeof readCommandLine>[0]['flags']

const createUsageError = (message: string) => new CommandError(exitCodes.usage, message)

/** Parses the arguments of a verb; `takes` has at least `required` operands. Throws `CommandError`. */
export const readVerb = <F extends Flags>(
  verb: { readonly takes: string; readonly means: string; readonly flags: F; readonly required: number },
  args: readonly string[],
) => {
  const { takes, means, flags, required } = verb
  const read = () => {
    try {
      return readCommandLine({ name: 'routes', operand: { takes, means }, flags }, args)
    } catch (error) {
      throw createUsageError(error instanceof Error ? error.message : String(error))
    }
  }
  const line = read()
  const most = takes.split(' ').length - 1
  const { length } = line.operands
  if (length < required || length > most)
    throw createUsageError(`expected ${takes}, got ${length} of its operands\n${line.usage}`)
  return {
    ...line,
    operandAt: (index: number) => line.operands[index] ?? '',
    fail: (message: string): never => {
      throw createUsageError(`${message}\n${line.usage}`)
    },
  }
}

/** The reason of a change. Throws `CommandError` without one. */
export const requireReason = (reason: string | undefined, fail: (message: string) => never) =>
  reason?.trim() || fail('--reason is required: say why, for the audit')
