import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyProject } from '#test/dev/start/copy-project.ts'

/** Copies this repository to a temporary folder as it was before `tracks.list` was ported. Returns the folder. */
export const copyOlderBuild = async (): Promise<string> => {
  const folder = await copyProject()
  const registry = join(folder, 'native-routes/index.ts')
  const lines = (await readFile(registry, 'utf8')).split('\n')
  const older = lines.filter((line) => !/\blistTracks\b/.test(line))
  if (lines.length - older.length !== 2) throw new Error('tracks.list is not registered by two lines')
  await writeFile(registry, older.join('\n'))
  return folder
}
