/** The exit codes of `npm run routes`. */
export const exitCodes = {
  done: 0,
  /** The gateway rejected the request and changed nothing. */
  rejected: 1,
  usage: 2,
  unreachable: 3,
} as const

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Ends the command with a message and an exit code. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: ExitCode
  /** The error of the gateway, for `--json`. */
  readonly body: unknown

  constructor(exitCode: ExitCode, message: string, body: unknown = { error: 'command_failed', message }) {
    super(message)
    this.exitCode = exitCode
    this.body = body
  }
}
