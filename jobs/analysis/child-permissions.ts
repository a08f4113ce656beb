import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url)

// Not the whole root: the state of a sandbox and a file with secrets may be there.
const codePaths = ['jobs', 'node_modules', 'package.json']

/**
 * The flags of Node's permission model for the process that analyses a file: it may read the code and that file. It may
 * not write, start processes or threads, or load native code. From Node 25 on it has no network either; earlier versions
 * cannot deny it.
 */
export const createChildPermissions = (inputPath: string) => [
  '--permission',
  ...codePaths.map((path) => `--allow-fs-read=${realpathSync(fileURLToPath(new URL(path, root)))}`),
  `--allow-fs-read=${inputPath}`,
]
