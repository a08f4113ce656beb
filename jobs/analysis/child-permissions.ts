import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { analysisCode } from '#shared/run-time-files.ts'

// Modules are resolved through the path itself and read at the path that it links to.
const allowReading = (code: URL) => {
  const path = fileURLToPath(code)
  return [...new Set([path, realpathSync(path)])].map((allowed) => `--allow-fs-read=${allowed}`)
}

/**
 * The flags of Node's permission model for the process that analyses a file: it may read the code and that file. It may
 * not write, start processes or threads, or load native code. From Node 25 on it has no network either; earlier versions
 * cannot deny it.
 */
export const createChildPermissions = (inputPath: string) => [
  '--permission',
  ...analysisCode.flatMap(allowReading),
  `--allow-fs-read=${inputPath}`,
]
