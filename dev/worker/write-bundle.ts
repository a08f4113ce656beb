import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleWorker, workerFolder } from './bundle-worker.ts'

const unfinished = `${workerFolder}.${process.pid}`

const isTaken = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST')

// wrangler uploads every module in the folder, so this replaces the whole folder. If another build has put its folder
// there in the meantime, replaces that one too.
const publish = async (): Promise<void> => {
  await rm(workerFolder, { recursive: true, force: true })
  try {
    await rename(unfinished, workerFolder)
  } catch (error) {
    if (!isTaken(error)) throw error
    await publish()
  }
}

try {
  const { modules, sourceMaps } = await bundleWorker()
  await mkdir(unfinished, { recursive: true })
  for (const { name, contents } of [...modules, ...sourceMaps])
    await writeFile(join(unfinished, name), contents)
  await publish()
} finally {
  await rm(unfinished, { recursive: true, force: true })
}
