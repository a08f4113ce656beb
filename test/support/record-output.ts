import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { childEnvironment } from './child-environment.ts'

interface Output {
  readonly stdout: string
  readonly stderr: string
  /** The exit code, if it is not 0. */
  readonly code?: number
}

export const recordOutput = (module: URL, environment: Readonly<Record<string, string>>): Promise<Output> =>
  promisify(execFile)(process.execPath, [fileURLToPath(module)], {
    env: { ...childEnvironment(), ...environment },
  }).catch((error) => error)
