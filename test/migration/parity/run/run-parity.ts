import { execFile } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../../..')

interface ParityOptions {
  readonly flags: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Receives the process, so that a test can send it signals. */
  readonly onStart?: (child: ReturnType<typeof execFile>) => void
}

export const runParity = ({ flags, environment = {}, onStart }: ParityOptions) =>
  new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: root, env: { ...process.env, ...environment } }
    const args = ['dev/contract/parity.ts', ...flags]
    const child = execFile(process.execPath, args, options, (_, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
    )
    onStart?.(child)
  })

/** Returns the environment variables for these accounts' tokens, in order. */
export const withTokens = (...accounts: readonly { readonly token: string }[]) =>
  Object.fromEntries(
    accounts.map(({ token }, index) => [`PARITY_TOKEN_${String.fromCharCode(65 + index)}`, token]),
  )
