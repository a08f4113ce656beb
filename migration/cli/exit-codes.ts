export const exitCodes = {
  done: 0,
  /** The gateway rejected the request and changed nothing. */
  rejected: 1,
  usage: 2,
  unreachable: 3,
  /** From `plan`, if the file would change something. */
  changes: 4,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

// Printed as `error` by `--json` if the gateway sent no error of its own.
const errorCodes: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'rejected',
  2: 'wrong_usage',
  3: 'gateway_unreachable',
  4: 'changes',
}

interface CommandErrorOptions {
  /** The gateway's error, which `--json` prints. */
  readonly body?: unknown
  /** Usage text, printed below the message unless `--json` is set. */
  readonly usage?: string
}

export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: ExitCode
  readonly body: unknown
  readonly usage: string | undefined

  constructor(exitCode: ExitCode, message: string, { body, usage }: CommandErrorOptions = {}) {
    super(message)
    this.exitCode = exitCode
    this.body = body ?? { error: errorCodes[exitCode], message }
    this.usage = usage
  }
}
