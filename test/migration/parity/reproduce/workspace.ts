import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../../../..')

const scenarioFolder = 'test/scenarios'

export const createWorkspace = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crossfade-reproduced-'))
  await mkdir(join(folder, scenarioFolder), { recursive: true })
  const linked = ['node_modules', 'package.json', 'tsconfig.json']
  const folders = [
    'contracts',
    'db',
    'proxy',
    'gateway',
    'native-routes',
    'shared',
    'jobs',
    'migration',
    'bin',
    'dev',
  ]
  for (const path of [...linked, ...folders, `${scenarioFolder}/fixtures`])
    if (path !== scenarioFolder) await symlink(join(root, path), join(folder, path))
  return folder
}

/** Checks the types of files in a workspace. Returns what the compiler prints; rejects if it finds errors. */
export const compile = async (folder: string, files: readonly string[]) => {
  const config = join(folder, 'tsconfig.printed.json')
  await writeFile(config, JSON.stringify({ extends: './tsconfig.json', include: [], files }))
  const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', config])
  return stdout
}
